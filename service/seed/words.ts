/** Words for sample values. */
export const FIRST_NAMES: readonly string[] = [
  "Amara",
  "Anna",
  "Bilal",
  "Carlos",
  "Chen",
  "Daan",
  "Elif",
  "Emma",
  "Femke",
  "Grace",
  "Hana",
  "Ivan",
  "Jonas",
  "Kofi",
  "Leila",
  "Liam",
  "Maria",
  "Mateo",
  "Nadia",
  "Noor",
  "Olga",
  "Priya",
  "Ravi",
  "Sofia",
  "Thomas",
  "Yara",
];

export const LAST_NAMES: readonly string[] = [
  "Almeida",
  "Bakker",
  "Brown",
  "Costa",
  "Demir",
  "Dubois",
  "Eriksen",
  "Fischer",
  "Garcia",
  "Haddad",
  "Ito",
  "Jansen",
  "Kowalska",
  "Lopez",
  "Mensah",
  "Novak",
  "Okafor",
  "Patel",
  "Rossi",
  "Sato",
  "Smit",
  "Tran",
  "Visser",
  "Weber",
  "Wright",
  "Yilmaz",
];

export const STREETS: readonly string[] = [
  "Harbour Street",
  "Main Street",
  "Mill Lane",
  "Station Road",
  "Church Square",
  "Park Avenue",
  "Canal Street",
  "Bridge Road",
  "Garden Lane",
  "Market Square",
  "North Quay",
  "Orchard Way",
];

export const PLACES: readonly string[] = [
  "Eastbridge",
  "Northfield",
  "Oldport",
  "Riverdale",
  "Southmere",
  "Westhaven",
];

export const COMPANIES: readonly string[] = [
  "Anchor Trading",
  "Blue Door Studio",
  "Evergreen Builders",
  "Harbour Logistics",
  "Northern Lights Bakery",
  "Stonebridge Partners",
];

/** Titles of documents and files. */
export const DOCUMENTS: readonly string[] = [
  "Site plan",
  "Floor plan",
  "Front view",
  "Cost estimate",
  "Letter of consent",
  "Inspection report",
  "Proof of ownership",
  "Photo of the site",
];

/** Subjects for a text that has no known meaning. */
export const SUBJECTS: readonly string[] = [
  "Dormer window",
  "Garden shed",
  "New entrance",
  "Replacement of the roof",
  "Second opinion",
  "Shop sign",
  "Solar panels",
  "Urgent repair",
];

/** Sentences for remarks, findings, advice and reasons. */
export const REMARKS: readonly string[] = [
  "All documents are complete and consistent.",
  "The neighbours have been informed.",
  "The measurements differ slightly from the drawing.",
  "No objections so far.",
  "The costs are within the usual range.",
  "A second document is on its way.",
  "The details were confirmed by phone.",
  "The plan fits the surroundings.",
  "The applicant asked for a quick answer.",
  "The earlier version has been replaced.",
];

/** Messages of people about a case. */
export const NOTES: readonly string[] = [
  "Called the applicant, who will send the missing page.",
  "I checked the figures and they add up.",
  "Please have a look before Friday.",
  "Waiting for an answer from the other department.",
  "The documents arrived by post and are attached.",
  "This one is similar to a case of last month.",
  "Agreed in the meeting of this morning.",
  "The address is correct, I looked it up.",
];

export const TAGS: readonly string[] = ["urgent", "call back", "complex", "first time", "missing document", "pilot"];
