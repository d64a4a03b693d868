/** Sample values for fields, by their type, their name and their label. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { isEmpty } from "../application/expressions/field_values.ts";
import { type Scope, WITHOUT_CASE } from "../application/model/expression.ts";
import {
  createPageView,
  type Field,
  type FormCondition,
  getInnerView,
  type ViewField,
} from "../application/model/field.ts";
import type { Random } from "./random.ts";
import { References } from "./references.ts";
import { COMPANIES, DOCUMENTS, FIRST_NAMES, LAST_NAMES, PLACES, REMARKS, STREETS, SUBJECTS } from "./words.ts";

/** Milliseconds of a day. */
const DAY = 86_400_000;

/** Sizes of the ranges of numbers, unless the field has a smaller one. */
const RANGES = { Integer: 20, Decimal: 400, Currency: 2000, Percentage: 100 };

/** A person whom the values of one case or record mention. */
interface Person {
  readonly first: string;
  readonly last: string;
  readonly email: string;
  readonly phone: string;
}

/** Values of one case or record. The dates are in order, and names, addresses and numbers belong to one person. */
export class SampleValues {
  readonly #random: Random;
  readonly #person: Person;
  readonly #references: References;
  #time: number;

  /** Starts with a new person. */
  constructor(random: Random, references: References = new References()) {
    this.#random = random;
    this.#references = references;
    this.#person = createPerson(random);
    this.#time = Date.now() - random.integer(2, 30) * DAY;
  }

  /** Fills in the fields that a form shows. Leaves out fields whose values are uploads or operators. */
  fillForm(fields: Iterable<ViewField>, current: JsonObject = {}): JsonObject {
    const content: JsonObject = {};
    for (const shown of fields) {
      const { field, readOnly, visible, readOnlyWhen, requiredWhen, within = [] } = shown;
      const page = { ...current, ...content };
      const holds = (condition: FormCondition) => condition.holds(createScope(page));
      const isEditable = !readOnly && field.type !== "Attachment" && field.type !== "UserReference" &&
        [...within, ...(visible ? [visible] : [])].every(holds) && !(readOnlyWhen && holds(readOnlyWhen));
      if (!isEditable || this.#keeps(field, current[field.name])) continue;
      const required = shown.required || (requiredWhen !== undefined && holds(requiredWhen));
      if (!required && !this.#random.chance(0.85)) continue;
      const value = this.#createValue(shown, required, page);
      if (value !== undefined) content[field.name] = value;
    }
    return content;
  }

  /** Reports whether a field keeps its value. People seldom change one, but answer a question each time. */
  #keeps(field: Field, value: JsonValue | undefined): boolean {
    if (isBlank(value)) return false;
    if (field.type === "Boolean") return value === true && field.default === false;
    return value !== field.default && this.#random.chance(0.9);
  }

  #createPage(shown: ViewField): JsonObject {
    const { embedded } = shown.field;
    const view = getInnerView(shown) ?? (embedded && createPageView(embedded));
    return this.fillForm(view?.fields.values() ?? []);
  }

  /** Chooses records for a reference, or the value of one for a field. Returns undefined without records. */
  #choose(field: Field, page: JsonObject): JsonValue | undefined {
    const records = this.#references.findRecords(field, page);
    const { reference, choices, type } = field;
    if (records.length === 0) return undefined;
    if (choices !== undefined) return this.#random.pick(records)[choices.value];
    const toKey = (record: JsonObject) => Object.fromEntries(reference?.key.map((name) => [name, record[name]]) ?? []);
    const chosen = this.#random.shuffle([...records]).slice(0, type === "List" ? 2 : 1).map(toKey);
    return type === "List" ? chosen : chosen[0];
  }

  #createValue(shown: ViewField, required: boolean, page: JsonObject): JsonValue | undefined {
    const { field } = shown;
    const random = this.#random;
    if (field.copy !== undefined) return undefined;
    if (field.reference !== undefined || field.choices !== undefined) return this.#choose(field, page);
    switch (field.type) {
      case "Boolean":
        return random.chance(field.default === false ? 0.25 : 0.75);
      case "Dropdown":
        return random.pickUsual(field.values ?? [""], 2);
      case "Integer":
      case "Decimal":
      case "Currency":
      case "Percentage":
        return this.#createNumber(field, field.type);
      case "Date":
        return this.#createDate(field).toISOString().slice(0, 10);
      case "DateTime":
        return this.#createDate(field).toISOString();
      case "Time":
        return this.#createDate(field).toISOString().slice(11, 19);
      case "Page":
      case "Attachment":
        return this.#createPage(shown);
      case "List":
        return Array.from({ length: random.integer(required ? 1 : 0, 3) }, () => this.#createPage(shown));
      case "PageGroup":
        return Object.fromEntries(
          ["First", "Second"].slice(0, random.integer(1, 2)).map((name) => {
            return [name, this.#createPage(shown)];
          }),
        );
      default:
        return shorten(this.#createText(field), field.maxLength);
    }
  }

  #createNumber({ min, max }: Field, type: keyof typeof RANGES): number {
    const least = min ?? Math.min(1, max ?? 1);
    const most = Math.max(least, Math.min(max ?? Infinity, least + RANGES[type]));
    if (type === "Integer") return this.#random.integer(Math.ceil(least), Math.floor(most));
    const digits = type === "Currency" ? 2 : 1;
    const value = Number((least + this.#random.fraction() * (most - least)).toFixed(digits));
    return value < least || value > most ? least : value;
  }

  #createDate(field: Field): Date {
    if (/birth/i.test(describe(field))) return new Date(Date.now() - this.#random.integer(20 * 365, 80 * 365) * DAY);
    this.#time += this.#random.integer(1, 10) * DAY;
    const date = new Date(this.#time);
    date.setUTCHours(this.#random.integer(8, 17), this.#random.integer(0, 59), 0, 0);
    return date;
  }

  #createText(field: Field): string {
    const random = this.#random;
    const { first, last, email, phone } = this.#person;
    if (field.type === "Email") return email;
    if (field.type === "Phone") return phone;
    if (field.type === "Url") return `https://www.example.org/${random.integer(100, 999)}`;
    if (field.type === "RichText") return `<p>${random.pick(REMARKS)}</p>`;
    if (field.type === "TextArea") return random.shuffle(REMARKS).slice(0, random.integer(1, 2)).join(" ");
    const references = this.#references.find(field);
    if (references.length > 0) return random.pick(references);
    const described = describe(field);
    const found = TEXTS.find(([words]) => words.test(described));
    return found === undefined ? random.pick(SUBJECTS) : found[1](random, { first, last, email, phone });
  }
}

/** Reports whether a value is empty, or a page without values. */
function isBlank(value: JsonValue | undefined): boolean {
  if (!isJsonObject(value)) return isEmpty(value);
  return Object.entries(value).every(([name, member]) => name === "classID" || member === false || isBlank(member));
}

/** Creates the scope of the conditions of a form, without a case. */
function createScope(fields: JsonObject): Scope {
  const operator = { ID: "", name: "", queues: [] };
  return { fields, caseInfo: WITHOUT_CASE, operator, action: "", now: new Date().toISOString() };
}

/** Texts for words in the name or the label of a field. The first that matches applies. */
const TEXTS: readonly (readonly [words: RegExp, create: (random: Random, person: Person) => string])[] = [
  [/e-?mail/, (_random, { email }) => email],
  [/phone|mobile|telephone/, (_random, { phone }) => phone],
  [/first ?name|given ?name/, (_random, { first }) => first],
  [/last ?name|surname|family ?name/, (_random, { last }) => last],
  [/(file|document|drawing).*name|title|document/, (random) => random.pick(DOCUMENTS)],
  [/company|organi[sz]ation|employer|supplier|vendor|firm/, (random) => random.pick(COMPANIES)],
  [/department|group|team/, (random) => random.pick(["Permits", "Finance", "Customer service", "Field work"])],
  [/post(al)? ?code|zip/, (random) => `${random.integer(1000, 9999)} ${random.pick(["AB", "CD", "KL", "RX"])}`],
  [/address|street|location/, (random) => `${random.pick(STREETS)} ${random.integer(1, 180)}`],
  [/city|town|place|region/, (random) => random.pick(PLACES)],
  [/country/, (random) => random.pick(["Belgium", "Germany", "Netherlands", "Portugal", "Spain"])],
  [
    /reference|\bkey\b|number|code|\bid\b/,
    (random) => `${random.pick(["A", "B", "K", "R"])}-${random.integer(10_000, 99_999)}`,
  ],
  [
    /performed by|performer|resource|inspector|adviser|reviewer|responsible/,
    (random) => `${random.pick(FIRST_NAMES)} ${random.pick(LAST_NAMES)}`,
  ],
  [
    /name|applicant|owner|customer|client|person|member|contact|claimant/,
    (_random, { first, last }) => `${first} ${last}`,
  ],
  [/reason|remark|comment|note|description|advice|findings|summary|answer/, (random) => random.pick(REMARKS)],
];

/** Describes a field in lower case: the words of its name, then its label. */
function describe({ name, label }: Field): string {
  const words = name.replace(/^py/, "").replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_\d]+/g, " ");
  return `${words} ${label}`.toLowerCase();
}

function createPerson(random: Random): Person {
  const [first, last] = [random.pick(FIRST_NAMES), random.pick(LAST_NAMES)];
  const email = `${first}.${last}@example.org`.toLowerCase();
  return { first, last, email, phone: `+1 202 555 01${String(random.integer(0, 99)).padStart(2, "0")}` };
}

function shorten(text: string, length = Infinity): string {
  return text.length <= length ? text : text.slice(0, length).trimEnd();
}
