/**
 * State per input. A process runs one input after another, or many at the same time if the script is stateless. In the
 * latter case, the runtime passes the current input along with each callback and promise.
 */

/** An input in this process. */
export class GuestInput {
  /** Number of the input in messages. 0 if no other input shares the process. */
  readonly number: number;
  /** True if the input has a result, or the host has ended it. Further messages about it are not sent. */
  hasEnded = false;

  /** Creates an input without state. */
  constructor(number: number) {
    this.number = number;
  }
}

/** A variable whose value follows a chain of callbacks and promises. Its class is internal to Deno. */
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

/** Lets inputs run at the same time from now on. Code outside of them uses the state of the loading script. */
export function shareProcess(): void {
  isShared = true;
}

/** Replaces the input of this process by a new one without state. */
export function replaceInput(): void {
  only = new GuestInput(0);
}

/** Returns the current input. While the script loads, that is the input of the process. */
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

/** Returns the input whose state the script uses while it loads. */
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
