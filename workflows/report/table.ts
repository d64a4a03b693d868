/** Sections and tables of a report. */
import { type Markup, markup, type Part } from "./markup.ts";

/** A section under a heading. */
export function section(heading: string, ...content: readonly Part[]): Markup {
  return markup`<section>\n<h2>${heading}</h2>\n${content}</section>\n`;
}

/** A table: the first cell of a row names it. A column whose title ends with `#` holds numbers. */
export function table(caption: string, titles: readonly string[], rows: readonly (readonly Part[])[]): Markup {
  const columns = titles.map((title) => ({ title: title.replace("#", ""), isNumber: title.endsWith("#") }));
  const classOf = (i: number) => columns[i]?.isNumber ? markup` class="number"` : undefined;
  const head = columns.map(({ title }, i) => markup`<th scope="col"${classOf(i)}>${title}</th>`);
  const body = rows.map(([name, ...cells]) => {
    const rest = cells.map((cell, i) => markup`<td${classOf(i + 1)}>${cell}</td>`);
    return markup`<tr><th scope="row"${classOf(0)}>${name}</th>${rest}</tr>\n`;
  });
  return markup`<div class="wide" role="region" aria-label="${caption}" tabindex="0"><table>
<caption>${caption}</caption>
<thead><tr>${head}</tr></thead>
<tbody>
${body}</tbody>
</table></div>
`;
}
