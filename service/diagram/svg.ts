/** Draws life cycles as an SVG image: a column for each stage, with its steps from top to bottom. */
import { displayWidth } from "../../utils/text/display_width.ts";
import type { Follower, LifeCycle, ProcessGroup, StageGroup, StepNode } from "./life_cycle.ts";

const MARGIN = 24;
const COLUMN = 240;
const GAP = 16;
const PADDING = 10;
const HEADER = 40;
const POINT = 14;
const LINE = 16;
const ARROW = 18;

/** Average width of a character in pixels. */
const CHARACTER = 6.4;
const BOLD_CHARACTER = 7.2;

const STYLE = `
text{font:12px system-ui,sans-serif;fill:#1f2933}
.title{font-size:18px;font-weight:600}
.name{font-weight:600}
.stage{font-size:14px;font-weight:600;fill:#fff}
.detail,.process{fill:#52606d}
.jump{fill:#9a3412}
`.trim();

const COLORS: Readonly<Record<StageGroup["kind"], string>> = {
  Primary: "#2563eb",
  Alternate: "#b45309",
  Optional: "#475569",
};

/** Draws life cycles below each other. */
export function writeSvg(lifeCycles: readonly LifeCycle[]): string {
  const canvas = new Canvas();
  let y = MARGIN;
  for (const lifeCycle of lifeCycles) y = drawLifeCycle(canvas, lifeCycle, y) + 2 * GAP;
  return canvas.write(lifeCycles.map(({ name }) => name).join(", "), y - GAP);
}

/** The elements of an image. */
class Canvas {
  readonly #elements: string[] = [];
  #width = 0;

  rect(x: number, y: number, width: number, height: number, attributes: string): void {
    this.#elements.push(`<rect x="${x}" y="${y}" width="${width}" height="${height}" ${attributes}/>`);
    this.#width = Math.max(this.#width, x + width);
  }

  text(x: number, y: number, text: string, className: string): void {
    this.#elements.push(`<text x="${x}" y="${y}" class="${className}">${escapeXml(text)}</text>`);
  }

  path(d: string, attributes: string): void {
    this.#elements.push(`<path d="${d}" ${attributes}/>`);
  }

  write(title: string, height: number): string {
    const width = this.#width + MARGIN;
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
      `<title>${escapeXml(title)}</title>`,
      `<style>${STYLE}</style>`,
      `<rect width="100%" height="100%" fill="#fff"/>`,
      ...this.#elements,
      "</svg>",
      "",
    ].join("\n");
  }
}

/** Draws a life cycle and returns its lower end: the primary stages, then everything else below them. */
function drawLifeCycle(canvas: Canvas, { name, stages, moves }: LifeCycle, top: number): number {
  canvas.text(MARGIN, top + 16, name, "title");
  const primary = stages.filter(({ kind }) => kind === "Primary");
  const others = stages.filter(({ kind }) => kind !== "Primary");
  let y = drawRow(canvas, primary, top + 32);
  if (others.length > 0) y = drawRow(canvas, others, y + GAP);
  for (const { name, to, from } of moves) {
    const stage = stages.find(({ id }) => id === from)?.name;
    y += LINE + 4;
    canvas.text(MARGIN, y, `Action${stage === undefined ? "" : ` in ${stage}`}: ${name} → ${to.name}`, "jump");
  }
  return y;
}

/** Draws stages beside each other and returns the lower end of the longest. */
function drawRow(canvas: Canvas, stages: readonly StageGroup[], top: number): number {
  const ends = stages.map((stage, index) => drawStage(canvas, stage, MARGIN + index * (COLUMN + GAP), top));
  return Math.max(top, ...ends);
}

function drawStage(canvas: Canvas, stage: StageGroup, x: number, top: number): number {
  const { kind, status, processes, exit } = stage;
  const [middle, bottom, right] = [top + HEADER / 2, top + HEADER, x + COLUMN];
  const outline = kind === "Primary"
    ? `M${x} ${top}H${right}L${right + POINT} ${middle}L${right} ${bottom}H${x}L${x + POINT} ${middle}Z`
    : `M${x} ${top}H${right}V${bottom}H${x}Z`;
  canvas.path(outline, `fill="${COLORS[kind]}"`);
  const [name = ""] = wrap(stage.name, COLUMN - 2 * POINT, BOLD_CHARACTER);
  canvas.text(x + POINT + PADDING, middle + 5, name, "stage");
  let y = bottom + 4;
  if (status !== undefined) canvas.text(x + PADDING, y += LINE, status, "detail");
  for (const process of processes) y = drawProcess(canvas, process, x, y + PADDING, processes.length > 1);
  if (exit) {
    for (const line of wrap(describeFollower(exit), COLUMN, CHARACTER)) {
      canvas.text(x + PADDING, y += LINE + 2, line, "jump");
    }
  }
  return y;
}

function drawProcess(canvas: Canvas, process: ProcessGroup, x: number, top: number, named: boolean): number {
  let y = top;
  if (named || process.optional || process.condition !== undefined) {
    const title = process.optional ? `${process.name} (optional)` : process.name;
    const condition = process.condition === undefined
      ? []
      : wrap(`if ${process.condition}`, COLUMN - 2 * PADDING, CHARACTER);
    for (const line of [title, ...condition]) canvas.text(x + PADDING, y += LINE, line, "process");
    y += 4;
  }
  process.steps.forEach((step, index) => {
    if (index > 0) y = drawArrow(canvas, x + COLUMN / 2, y, process.steps[index - 1]?.continues ?? false);
    y = drawStep(canvas, step, x, y, step.ends && index < process.steps.length - 1);
  });
  return y;
}

/** Draws the arrow to the next step, or only the space for it. */
function drawArrow(canvas: Canvas, x: number, top: number, isVisible: boolean): number {
  const end = top + ARROW;
  if (isVisible) {
    canvas.path(
      `M${x} ${top}V${end - 1}M${x - 4} ${end - 6}L${x} ${end - 1}L${x + 4} ${end - 6}`,
      'fill="none" stroke="#52606d"',
    );
  }
  return end;
}

function drawStep(
  canvas: Canvas,
  { name, kind, details, jumps }: StepNode,
  x: number,
  top: number,
  endsEarly: boolean,
): number {
  const room = COLUMN - 2 * PADDING;
  const lines = [
    ...wrap(name, room, BOLD_CHARACTER).map((text) => [text, "name"] as const),
    ...details.flatMap((detail) => wrap(detail, room, CHARACTER)).map((text) => [text, "detail"] as const),
    ...jumps.flatMap((jump) => wrap(describeFollower(jump), room, CHARACTER)).map((text) => [text, "jump"] as const),
    ...(endsEarly ? [["→ end of the process", "jump"] as const] : []),
  ];
  const height = lines.length * LINE + PADDING;
  const line = kind === "assignment" ? "" : ' stroke-dasharray="4 3"';
  canvas.rect(x, top, COLUMN, height, `rx="5" fill="#f5f7fa" stroke="#9aa5b1"${line}`);
  lines.forEach(([text, className], index) => canvas.text(x + PADDING, top + (index + 1) * LINE, text, className));
  return top + height;
}

function describeFollower({ label, name }: Follower): string {
  return label === undefined ? `→ ${name}` : `${label} → ${name}`;
}

/** Breaks a text into lines of a width in pixels. A word that is too long is broken, too. */
function wrap(text: string, width: number, character: number): string[] {
  const columns = Math.floor(width / character);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).flatMap((word) => breakWord(word, columns))) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (displayWidth(longer) <= columns) {
      line = longer;
    } else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

function breakWord(word: string, columns: number): string[] {
  const characters = [...word];
  const pieces = Math.ceil(displayWidth(word) / columns) || 1;
  const size = Math.ceil(characters.length / pieces);
  return Array.from({ length: pieces }, (_, index) => characters.slice(index * size, (index + 1) * size).join(""));
}

/** Characters that XML 1.0 cannot contain, not even escaped. */
// deno-lint-ignore no-control-regex -- finding them is the point
const NOT_IN_XML = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

function escapeXml(text: string): string {
  const allowed = text.toWellFormed().replace(NOT_IN_XML, "\ufffd");
  return allowed.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
