/** The constructs of forms in a definition: what they compile to, and how mistakes are reported. */
import assert from "node:assert/strict";
import { parseApplication } from "../../../service/application/load.ts";
import { catchDefinitionError } from "../../harness/service_engine.ts";
import { TRIPS } from "../cases/forms/_trips.ts";

const TYPE = "Acme-Trips-Work-Trip";

/** Returns the condition under which the view `Trip` shows its field `Weight`. */
function compileCondition(condition: string) {
  const yaml = TRIPS.replace(`visible: "Weight > 5.0 || Kind != 'Rail'"`, `visible: ${JSON.stringify(condition)}`);
  return parseApplication(yaml, "trips.yaml").caseTypes.get(TYPE)?.views.get("Trip");
}

Deno.test("a definition with every construct of forms compiles", () => {
  const type = parseApplication(TRIPS, "trips.yaml").caseTypes.get(TYPE);
  const fields = type?.fields;
  assert.deepEqual(
    ["Depot", "Skills", "Checks"].map((name) => [fields?.get(name)?.type, fields?.get(name)?.reference?.show]),
    [["Page", "dropdown"], ["List", "combobox"], ["List", "checkboxes"]],
  );
  assert.deepEqual(fields?.get("Street")?.choices?.parameters, new Map([["Country", { field: ["Country"] }]]));
  const group = type?.views.get("Trip")?.parts?.find((part) => "parts" in part);
  const shown = group && "parts" in group && group.parts.map((part) => "shown" in part && part.shown.field.name);
  assert.deepEqual(shown, ["Fee", "Rebate", "Total"]);
});

const TRANSLATED: readonly (readonly [condition: string, text: string | undefined])[] = [
  ["Kind == 'Air'", ".Kind == 'Air'"],
  ["'Air' == Kind", undefined],
  ["Urgent", ".Urgent == true"],
  ["!Urgent", ".Urgent == false"],
  ["Urgent && (Kind == 'Air' || Kind == 'Rail')", ".Urgent == true && (.Kind == 'Air' || .Kind == 'Rail')"],
  ["!(Urgent && Kind == 'Air')", "!(.Urgent == true && .Kind == 'Air')"],
  ["Home.City != ''", ".Home.City != ''"],
  ["Country.startsWith('N')", ".Country STARTS_WITH 'N'"],
  ["!Country.contains('N')", ".Country NOT_CONTAINS 'N'"],
  ["Weight > -1.5", undefined],
  ["Weight >= 2.5", ".Weight >= 2.5"],
  ["Weight == 0.0", undefined],
  ["Country == Home.City", ".Country == .Home.City"],
  ['Country == "O\'Hara"', undefined],
  ["Country == operator.ID", undefined],
  ["size(Stops) > 0", undefined],
];

for (const [condition, text] of TRANSLATED) {
  const outcome = text === undefined ? "is evaluated by the service" : `becomes ${text}`;
  Deno.test(`the condition ${condition} ${outcome}`, () => {
    const view = compileCondition(condition);
    assert.equal(view?.fields.get("Weight")?.visible?.text, text);
    assert.deepEqual([...view?.whens?.keys() ?? []], text === undefined ? ["Trip_Weight_visible"] : []);
  });
}

const MISTAKES: readonly (readonly [right: string, wrong: string, reason: RegExp])[] = [
  ["type: Page\n", "type: Page\n        rowLabel: home\n", /'rowLabel' is for the type List, not for Page/],
  [
    "to: Acme-Trips-Data-Depot, show: table",
    "to: Acme-Trips-Data-Depo, show: table",
    /no data type 'Acme-Trips-Data-Depo'; did you mean/,
  ],
  [
    "show: table, from: D_DepotRecords",
    "show: combobox, from: D_DepotRecords",
    /one record is shown as dropdown, autocomplete, table, simpleTable, cards, search, not as combobox/,
  ],
  [
    "show: table, from: D_DepotRecords",
    "show: table, from: D_Skills",
    /'D_Skills' lists records of 'Acme-Trips-Data-Skill', not of/,
  ],
  ["show: table, from: D_DepotRecords", "show: table, from: D_pyMyWorkList", /no data view 'D_pyMyWorkList'/],
  ["columns: [City, Open]", "columns: [City, Opne]", /no field 'Opne'; did you mean 'Open'/],
  [
    "parameters: { Country: .Country } }\n      Origin",
    "parameters: { Country: .Contry } }\n      Origin",
    /no field 'Contry'; did you mean 'Country'/,
  ],
  ["text: Name, parameters: { Country: .Country } }", "text: Name }", /'D_Streets' needs the parameter 'Country'/],
  [
    "{ from: D_Streets, value: Code, text: Name",
    "{ from: D_Streets, value: Cod, text: Name",
    /no field 'Cod'; did you mean 'Code'/,
  ],
  [
    "{ type: Dropdown, values: [Air, Rail], show: radio }",
    "{ type: Dropdown, show: radio }",
    /exactly one of 'values' and 'choices'/,
  ],
  ["details: Card", "details: Crad", /no view 'Crad'; did you mean 'Card'/],
  ["view: EditTrip }", "rowView: EditTrip }", /'rowView' is for a list, and 'Home' is not one/],
  ["columns: [Owner, Kilos], allow", "columns: [Owner, Kilo], allow", /no field 'Kilo'; did you mean 'Kilos'/],
  ["allowAdd: Urgent == false", "allowAdd: Urgnt == false", /Unknown variable: Urgnt; did you mean 'Urgent'/],
  ["allowRowDelete: City != 'Oslo'", "allowRowDelete: size(City) > 2", /clients evaluate this condition for each row/],
  ["visible: Kind == 'Air'", "visible: Kind == 'Aur'", /'Aur' is not a value of Kind; did you mean 'Air'/],
  ["required: Urgent }, Rebate", "required: Weight }, Rebate", /returns double, but Boolean is needed/],
  ["group: Money", "gruop: Money", /must be the name of a field, or an object with 'field', 'view' or 'group'/],
  ["currency: NOK }\n      Rebate", "currency: kroner }\n      Rebate", /must be three capital letters/],
  ["{ field: Bags, columns", "{ field: Bags, colums", /'colums' is not allowed here; did you mean 'columns'/],
];

for (const [right, wrong, reason] of MISTAKES) {
  Deno.test(`a definition with ${wrong.split("\n")[0]} is refused with its place`, () => {
    assert.ok(TRIPS.includes(right), right);
    const error = catchDefinitionError(TRIPS.replace(right, wrong), wrong);
    assert.match(error.message, reason);
    assert.match(error.message, /:\d+:\d+: /);
  });
}

Deno.test("the fields of a data type cannot refer to records", () => {
  const wrong = TRIPS.replace(
    "      Text: { type: Text }\n",
    "      Text: { type: Text }\n      Depot: { type: Reference, to: Acme-Trips-Data-Depot }\n",
  );
  assert.match(catchDefinitionError(wrong, "a reference").message, /only fields of a case type can refer to records/);
});
