import { render } from "../../lib/output/render.ts";

/** Renders rows as a table without a limit on the width, so that no column is hidden. */
export async function renderRows(rows: readonly Readonly<Record<string, string>>[]): Promise<string> {
  const fields = { names: Object.keys(rows[0] ?? {}) };
  const surface = { columns: 400, color: false };
  const { text } = await render(rows.map((row) => ({ ...row })), { format: "table", fields }, surface);
  return text.trimEnd();
}
