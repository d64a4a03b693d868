/** Mistakes in the definitions of forms are reported at their places. */
import assert from "node:assert/strict";
import { catchDefinitionError } from "../../../harness/service_engine.ts";
import { VISITS } from "./_definition.ts";

const MISTAKES: readonly (readonly [right: string, wrong: string, reason: RegExp])[] = [
  ["{ view: Summary,", "{ view: Sumary,", /no view 'Sumary'; did you mean 'Summary'/],
  ["{ field: Home.City, required: true }", "{ field: Home.Town }", /no field 'Town'/],
  ["{ field: Home.City, required: true }", "{ field: Purpose.City }", /'Purpose' is not an embedded page/],
  ["{ field: Home.City, required: true }", "{ field: Home.Rooms }", /'Rooms' is embedded: show it in a view of 'Home'/],
  ["{ field: Home.City, required: true }", "{ field: Home.City, rows: table }", /'rows' is not for a field of a page/],
  ["currency: .FeeCode", "currency: .FeeCod", /no field 'FeeCod'; did you mean 'FeeCode'/],
  ["{ type: Decimal }", "{ type: Decimal, choices: { from: D_Skills, value: ID, text: Text } }", /'choices' is for/],
  ["inForm: true, set:", "set:", /only a form that names the data view can set other fields: use 'inForm: true'/],
  ["set: { Zip: Zip }", "set: { Zip: Zpi }", /no column 'Zpi'; did you mean 'Zip'/],
  [
    "Zip: { type: Text, label: Zip }",
    "Zip: { type: Text, calculated: Story }",
    /'Zip' is calculated: it cannot be set/,
  ],
  [
    "parameters: { Region: .Region } }",
    "parameters: { Region: .Region }, loaded: true }",
    /the rows depend on a field, so the form cannot contain them: remove 'loaded'/,
  ],
  ["of: Legs", "of: Home", /'Home' is not a list/],
  ["of: Legs", "of: Leg", /no field 'Leg'; did you mean 'Legs'/],
  ["key: City }", "key: Town }", /no field 'Town'/],
  ["page: Home,", "page: Purpose,", /'Purpose' is not an embedded page/],
  ["page: Home, view: EditHome", "page: Home, view: EditHom", /no view 'EditHom'; did you mean 'EditHome'/],
  ["page: Home, view: EditHome", "page: Home, fields: [City]", /use either 'page' or 'fields', not both/],
  ["name: Bags\n", "name: Bags\n                    view: Both\n", /'view' is for a screen: 'Bags' is a part/],
  ["Small: { fields: [Days] }", "Tickets: { fields: [Days] }", /the step has another screen 'Tickets'/],
  ["to: Acme-Visits-Work-Visit", "to: Acme-Visits-Work-Visi", /did you mean 'Acme-Visits-Work-Visit'/],
  ["readOnly: true, label: Review", "label: Review", /has the field 'Stops' already: show it again only with/],
];

for (const [right, wrong, reason] of MISTAKES) {
  Deno.test(`a definition of forms with ${wrong.split("\n").join(" ")} is refused with its place`, () => {
    assert.ok(VISITS.includes(right), right);
    const { message } = catchDefinitionError(VISITS.replace(right, wrong), wrong);
    assert.match(message, reason);
    assert.match(message, /:\d+:\d+: /);
  });
}
