/** Names of the formats of results. */
export const FORMATS = ["json", "compact", "yaml", "table", "view"] as const;

/** A format of results. */
export type Format = (typeof FORMATS)[number];

/** A format that does not depend on what a result means. The format `view` is for people only. */
export type DataFormat = Exclude<Format, "view">;

/** The place where the text appears. */
export interface Surface {
  /** Width of the terminal in columns; undefined for a pipe or a file. */
  readonly columns?: number;
  /** True if the text may have colors and bold type. */
  readonly color: boolean;
  /** True if addresses may be links. Default: false. */
  readonly links?: boolean;
}

/** A rendered result. */
export interface Rendered {
  /** Text for stdout, with its final line end. */
  readonly text: string;
  /** Notes for the user, one line each. */
  readonly notes: readonly string[];
}
