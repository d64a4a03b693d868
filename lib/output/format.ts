/** Names of the formats of results. */
export const FORMATS = ["json", "compact", "yaml", "table"] as const;

/** A format of results. */
export type Format = (typeof FORMATS)[number];
