/**
 * State that each input has for itself. A process runs one input after another, or, if the script is stateless, many at the
 * same time: the runtime then carries the input from each callback and promise to those that follow.
 */

/** An input in this process. */
export class GuestInput {
  /** Number by which host and guest name it. 0 if it has the process for itself. */
  readonly number: number;
  /** True if it has a result or was ended by the host. What it still does has no effect. */
  hasEnded = false;

  /** Creates an input without state. */
  constructor(number: number) {
    this.number = number;
  }
}

/** A variable whose value belongs to a chain of callbacks and promises. The runtime keeps its class to itself. */
interface AsyncVariable {
  enter(value: GuestInput | undefined): unknown;
  get(): GuestInput | undefined;
}

const variable = createVariable();
let isShared = false;
let only = new GuestInput(0);

/** Reports whether this runtime can run many inputs at the same time. */
export function canRunMany(): boolean {
  return variable !== undefined;
}

/** Runs inputs at the same time from now on. Outside of them, the state is that of the time of loading. */
export function shareProcess(): void {
  isShared = true;
}

/** Replaces the input of this process by one without state. */
export function replaceInput(): void {
  only = new GuestInput(0);
}

/** Returns the input that runs, or that is being loaded. */
export function currentInput(): GuestInput {
  return isShared ? variable?.get() ?? only : only;
}

/** Calls a function for an input. */
export function enterInput(input: GuestInput, run: () => void): void {
  variable?.enter(input);
  try {
    run();
  } finally {
    variable?.enter(undefined);
  }
}

/** Creates a function that returns the state of the current input, or of another one. */
export function perInput<State>(create: () => State): (input?: GuestInput) => State {
  const states = new WeakMap<GuestInput, State>();
  return (input = currentInput()) => {
    const known = states.get(input);
    if (known !== undefined) return known;
    const state = create();
    states.set(input, state);
    return state;
  };
}

/** Returns the state of the time of loading in a shared process. */
export function loadingInput(): GuestInput {
  return only;
}

function createVariable(): AsyncVariable | undefined {
  const symbol = Object.getOwnPropertySymbols(Deno).find(({ description }) => description === "Deno.internal");
  const AsyncVariable = readMember(readMember(symbol && Reflect.get(Deno, symbol), "core"), "AsyncVariable");
  return typeof AsyncVariable === "function" ? Reflect.construct(AsyncVariable, []) : undefined;
}

/** Reads a member of an object of the runtime, which may have no prototype. */
function readMember(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
