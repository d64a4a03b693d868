/** Notices that a script has changed the globals of its process, which the next instance of the script would see. */

/** An object that all instances share. */
interface SharedObject {
  readonly object: object;
  /** Number of members. */
  readonly count: number;
  /** The members with a value. Those with a getter are not read, because the runtime loads code when they are. */
  readonly values: readonly (readonly [name: PropertyKey, value: unknown])[];
}

/**
 * Notes the globals, their members, and those of their prototypes. Returns a function that reports whether all are as they
 * were, and whether no event has a listener. Members of other objects, such as the prototype of generators, are not noted.
 */
export function watchGlobals(): () => boolean {
  const { addEventListener } = globalThis;
  let isListening = false;
  globalThis.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    isListening = true;
    addEventListener(...args);
  };
  const shared = [...listGlobals()].map(describe);
  return () => !isListening && shared.every(isSame);
}

function listGlobals(): Set<object> {
  const globals = new Set<object>([globalThis]);
  for (const { value } of Object.values(Object.getOwnPropertyDescriptors(globalThis))) {
    if (!isObject(value)) continue;
    globals.add(value);
    const prototype: unknown = Object.getOwnPropertyDescriptor(value, "prototype")?.value;
    if (isObject(prototype)) globals.add(prototype);
  }
  return globals;
}

function describe(object: object): SharedObject {
  const names = Reflect.ownKeys(object);
  const values = names.flatMap((name) => {
    const member = Object.getOwnPropertyDescriptor(object, name);
    return member !== undefined && "value" in member ? [[name, member.value] as const] : [];
  });
  return { object, count: names.length, values };
}

function isSame({ object, count, values }: SharedObject): boolean {
  return Reflect.ownKeys(object).length === count &&
    values.every(([name, value]) => Object.is(Reflect.get(object, name), value));
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
