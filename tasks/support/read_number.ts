/** Numbers that a flag accepts. */
export interface NumberRange {
  /** Smallest number. */
  readonly min: number;
  /** Largest number. */
  readonly max: number;
  /** True if the flag accepts integers only. */
  readonly isInteger?: boolean;
}

/** Reads the number of a flag. Throws if it is out of range. */
export function readNumber(
  flag: string,
  text: string | undefined,
  { min, max, isInteger = false }: NumberRange,
): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (number >= min && number <= max && (!isInteger || Number.isInteger(number))) return number;
  throw new Error(`${flag} must be ${isInteger ? "an integer" : "a number"} from ${min} to ${max}.`);
}
