/** Maps the values of an object and keeps its names. */
export function mapValues<V, R>(
  object: Readonly<Record<string, V>>,
  map: (value: V, name: string) => R,
): Record<string, R> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]));
}
