/** Generates designs of forms, their content, and edits. */
import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../../utils/json.ts";
import { type Condition, type Design, type Kind, KINDS, type Part, RECORDS } from "./_form_design.ts";

/** A form, and the content of its case. */
export interface GeneratedForm {
  readonly design: Design;
  readonly content: JsonObject;
}

/** Numbers that choose what is edited, and how. */
export interface Edit {
  readonly target: number;
  readonly way: number;
  readonly value: number;
}

/** Values of each kind, as a server stores them. The first one is empty. */
export const VALUES: Readonly<Record<Kind, readonly JsonValue[]>> = {
  text: ["", "A", "B", 'it\'s "x"', "æøå"],
  lines: ["", "A", "one\ntwo", " spaces "],
  richText: ["", "<p>A</p>", "<ul><li>x</li></ul>"],
  integer: ["", 0, 7, "12", -3],
  decimal: ["", 0, 2.5, "4500", "4500.00", "-0.5"],
  percentage: ["", 12.5, "50"],
  currency: ["", 4500, "90", "90.50"],
  boolean: [false, true, ""],
  date: ["", "2031-04-05", "2030-01-01"],
  dateTime: ["", "2031-04-05T06:30:00.000Z", "2031-04-05T06:30:12.345Z", "2031-04-05T23:30:00Z"],
  time: ["", "06:30:00", "23:59:59"],
  phone: ["", "+4722000000", "+47 22 00 00 00"],
  email: ["", "a@example.com", "b@example.com"],
  url: ["", "https://example.com/", "https://example.org/"],
  choice: ["", "A", "B", "C", "gone"],
  numberChoice: ["", 1, 2, "3"],
  user: ["", "ada", "bob"],
};

const LIST_STYLES = ["inline", "modal", "repeating"] as const;
const SINGLE_PICKERS = ["Dropdown", "AutoComplete", "SimpleTableSelect"] as const;
const MULTIPLE_PICKERS = ["Multiselect", "SimpleTableSelect"] as const;
const KIND_NAMES: readonly Kind[] = Object.keys(KINDS).filter((name): name is Kind => name in KINDS);

/** The choices of the generator. */
type Choose = fc.GeneratorValue;

/** Generates a form and the content of its case. */
export const forms: fc.Arbitrary<GeneratedForm> = fc.gen().map((choose) => {
  const names = createNames();
  const parts = generateParts(choose, names, 2);
  const fields = parts.filter(({ type }) => type === "field");
  const design: Design = {
    parts,
    isShownTwice: flip(choose),
    files: flip(choose) ? "instructions" : "attachments",
    ...(flip(choose) && fields[0] !== undefined && { refreshField: fields[0].name }),
  };
  return { design, content: { classID: "Demo-Work", pyID: "P-1", ...generateContent(choose, parts) } };
});

/** Generates edits. */
export const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.record({ target: fc.nat(999), way: fc.nat(9), value: fc.nat(9) }),
  { minLength: 1, maxLength: 6 },
);

function createNames(): (prefix: string) => string {
  let number = 0;
  return (prefix) => `${prefix}${++number}`;
}

function flip(choose: Choose): boolean {
  return choose(fc.boolean);
}

function upTo(choose: Choose, max: number): number {
  return choose(fc.nat, { max });
}

function pick<T>(choose: Choose, values: readonly T[]): T {
  return choose(fc.constantFrom<T[]>, ...values);
}

/** Generates the parts of a page. Conditions depend on its first parts, which are always visible. */
function generateParts(choose: Choose, names: (prefix: string) => string, levels: number): Part[] {
  const kind: Part = { type: "field", name: names("Kind"), kind: pick(choose, ["choice", "text"]) };
  const mark: Part = { type: "field", name: names("Mark"), kind: "boolean" };
  const inner = Array.from(
    { length: 1 + upTo(choose, levels + 1) },
    () => generatePart(choose, names, levels, [kind, mark]),
  );
  return [kind, mark, ...inner, ...generateCopies(choose, names, inner)];
}

/** Generates a copy of a row of the first list. */
function generateCopies(choose: Choose, names: (prefix: string) => string, parts: readonly Part[]): Part[] {
  const list = parts.find(({ type }) => type === "list");
  if (list?.type !== "list" || flip(choose)) return [];
  return [{ type: "copy", name: names("Copy"), list: list.name, key: list.parts[0]?.name ?? "" }];
}

function generateCondition(choose: Choose, names: (prefix: string) => string, owners: readonly Part[]): Condition {
  const owner = pick(choose, owners);
  const isBoolean = owner.type === "field" && owner.kind === "boolean";
  return {
    property: owner.name,
    equals: isBoolean ? flip(choose) : "A",
    isNegated: flip(choose),
    ...(owners.indexOf(owner) < 2 && upTo(choose, 3) === 0 && { when: names("When") }),
  };
}

function generatePart(
  choose: Choose,
  names: (prefix: string) => string,
  levels: number,
  owners: readonly Part[],
): Part {
  const rules = {
    ...(upTo(choose, 2) === 0 && { visible: generateCondition(choose, names, owners) }),
    ...(upTo(choose, 5) === 0 && { readOnly: flip(choose) || generateCondition(choose, names, owners) }),
  };
  const [first] = owners;
  const cascade = upTo(choose, 2) === 0 && first !== undefined ? { cascade: first.name } : {};
  const type = pick(choose, ["field", "field", "field", "group", "page", "list", "record", "file"] as const);
  switch (levels > 0 || type === "record" || type === "file" ? type : "field") {
    case "group": {
      const field = generateField(choose, names, {}, {});
      const fields = field.type === "field" && field.kind === "boolean" ? [...owners, field] : owners;
      const parts = Array.from({ length: 1 + upTo(choose, 1) }, () => generatePart(choose, names, levels - 1, fields));
      return { type: "group", name: names("Group"), ...rules, parts: [field, ...parts] };
    }
    case "page":
      return {
        type: "page",
        name: names("Page"),
        ...rules,
        isReferred: flip(choose),
        parts: generateParts(choose, names, levels - 1),
      };
    case "list": {
      const style = pick(choose, LIST_STYLES);
      const parts = generateParts(choose, names, style === "inline" ? 0 : levels - 1)
        .filter(({ type }) => style !== "inline" || type === "field");
      return {
        type: "list",
        name: names("List"),
        ...rules,
        style,
        parts,
        canAdd: upTo(choose, 4) > 0,
        canDelete: upTo(choose, 4) > 0,
        canMove: upTo(choose, 4) > 0,
        ...(upTo(choose, 3) === 0 &&
          { rowRule: { property: parts[1]?.name ?? "", equals: true, isNegated: flip(choose) } }),
      };
    }
    case "record": {
      const isMultiple = flip(choose);
      return {
        type: "record",
        name: names("Record"),
        ...rules,
        ...(isMultiple ? {} : cascade),
        isMultiple,
        keys: isMultiple || flip(choose) ? ["ID"] : ["ID", "Area"],
        hasDetails: flip(choose),
        picker: pick(choose, isMultiple ? MULTIPLE_PICKERS : SINGLE_PICKERS),
      };
    }
    case "file":
      return { type: "file", name: names("File"), ...rules, isMultiple: flip(choose) };
    default:
      return generateField(choose, names, rules, cascade, upTo(choose, 2) === 0 ? first?.name : undefined);
  }
}

function generateField(
  choose: Choose,
  names: (prefix: string) => string,
  rules: object,
  cascade: object,
  setter?: string,
): Part {
  const kind = pick(choose, KIND_NAMES);
  const isComputed = (kind === "text" || kind === "integer") && upTo(choose, 4) === 0;
  return {
    type: "field",
    name: names("Field"),
    kind,
    ...rules,
    ...(isComputed && { isComputed }),
    ...(kind === "numberChoice" && (setter === undefined ? cascade : { setter })),
  };
}

function generateContent(choose: Choose, parts: readonly Part[]): JsonObject {
  const content: JsonObject = {};
  for (const part of parts) {
    if (part.type === "copy") continue;
    if (part.type === "group") Object.assign(content, generateContent(choose, part.parts));
    else if (upTo(choose, 6) > 0) content[part.name] = generateValue(choose, part);
  }
  return content;
}

function generateValue(choose: Choose, part: Exclude<Part, { type: "group" | "copy" }>): JsonValue {
  switch (part.type) {
    case "field":
      return pick(choose, VALUES[part.kind]);
    case "page":
      return { classID: `Demo-Data-${part.name}`, ...generateContent(choose, part.parts) };
    case "list":
      return Array.from({ length: upTo(choose, 3) }, (): JsonValue => ({
        ...(flip(choose) && { classID: `Demo-Data-${part.name}` }),
        ...generateContent(choose, part.parts),
      }));
    case "record": {
      const chosen = RECORDS.slice(0, upTo(choose, 3)).map((record) => ({ classID: "Demo-Data-Record", ...record }));
      if (part.isMultiple) return chosen;
      return chosen.at(-1) ?? { classID: "Demo-Data-Record", ID: "", Area: "", Name: "" };
    }
    case "file": {
      const files = ["f1", "f2"].slice(0, upTo(choose, 2)).map((ID) => ({ classID: "Embed-Attach-File", ID }));
      return part.isMultiple ? files : files[0] ?? "";
    }
  }
}
