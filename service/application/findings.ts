/** What is wrong with a definition, and where. */

/** Where: the keys from the top of the document. */
export type Path = readonly PropertyKey[];

/** One thing that is wrong. */
export interface Finding {
  /** Where. */
  readonly path: Path;
  /** What, in a few words. */
  readonly message: string;
  /** Whether the last key itself is wrong, not what it holds. */
  readonly atKey?: boolean;
}

/** Collects what is wrong. */
export type Report = (path: Path, message: string) => void;
