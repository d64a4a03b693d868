let collator: Intl.Collator | undefined;

/** Compares two texts in the order of the user's language, in which 10 comes after 9. */
export function compareForPeople(a: string, b: string): number {
  collator ??= new Intl.Collator(undefined, { numeric: true });
  return collator.compare(a, b);
}
