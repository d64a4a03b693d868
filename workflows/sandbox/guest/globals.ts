/**
 * Detects whether a script has changed an object that the next instance of the script in its process would also use. The
 * functions of the runtime are frozen. Other objects stay changeable, because scripts and libraries extend them and assign
 * to inherited names.
 */
import * as library from "../../mod.ts";

const { defineProperty, freeze, getOwnPropertyDescriptor, getPrototypeOf, hasOwn, is, isExtensible } = Object;
const { apply, get: getMember, ownKeys } = Reflect;

/** State of a shared object before the script ran. */
interface SharedObject {
  readonly object: object;
  readonly prototype: object | null;
  readonly isExtensible: boolean;
  /** Number of members. */
  readonly count: number;
  readonly names: readonly PropertyKey[];
  readonly values: readonly unknown[];
  /** The members with a getter. Their values are not read, because the runtime loads code when they are. */
  readonly accessors: readonly (readonly [name: PropertyKey, member: PropertyDescriptor])[];
}

/** Classes whose instances the runtime returns even if the script has not read the global of that name. */
const RETURNED_CLASSES = [
  "Headers",
  "ReadableStream",
  "ReadableStreamDefaultReader",
  "ReadableStreamDefaultController",
  "Response",
  "WritableStream",
];

/** Creates iterators of classes that the runtime loads later. Their prototypes are reachable only from an iterator. */
const ITERATORS: Readonly<Record<string, () => object>> = {
  Headers: () => new Headers().entries(),
  ReadableStream: () => new ReadableStream().values(),
};

/** Lists the objects that are not reachable from a global: prototypes of functions and iterators. */
function listHidden(): object[] {
  const iterators = [
    [][Symbol.iterator](),
    new Map()[Symbol.iterator](),
    new Set()[Symbol.iterator](),
    ""[Symbol.iterator](),
    "".matchAll(/x/g),
    Iterator.from({ next: () => ({ done: true, value: undefined }) }),
    [].values().map(String),
    new URLSearchParams().entries(),
  ];
  const functions = [function* () {}, async function* () {}, async () => {}, () => {}];
  return [...iterators, ...functions].map((one) => getPrototypeOf(one));
}

/** Watches the objects that scripts share. */
class SharedObjects {
  readonly #known = new Set<object>();
  readonly #objects: SharedObject[] = [];

  /** Watches an object, and the objects to which its members and prototypes lead. Freezes functions. */
  watch(root: unknown): void {
    const waiting = isObject(root) ? [root] : [];
    for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
      if (this.#known.has(value)) continue;
      this.#known.add(value);
      if (typeof value === "function" && !hasOwn(value, "prototype")) {
        freeze(value);
        continue;
      }
      this.#objects.push(describe(value, (found) => waiting.push(found)));
    }
  }

  /** Reports whether all objects are as they were. Uses nothing that a script can replace. */
  areUnchanged(): boolean {
    for (let index = 0; index < this.#objects.length; index++) {
      const shared = this.#objects[index];
      if (shared !== undefined && !isUnchanged(shared)) return false;
    }
    return true;
  }
}

/**
 * Starts to watch the globals and what the script receives. Returns a function that reports whether all are as they were, and
 * whether no event has a listener.
 */
export function watchGlobals(received: readonly object[]): () => boolean {
  const shared = new SharedObjects();
  const { addEventListener } = EventTarget.prototype;
  let isListening = false;
  EventTarget.prototype.addEventListener = function (this: EventTarget, ...args: Parameters<typeof addEventListener>) {
    const target: unknown = this ?? globalThis;
    if (target === globalThis || target === performance || target === navigator) isListening = true;
    return apply(addEventListener, this, args);
  };
  globalThis.addEventListener = EventTarget.prototype.addEventListener;
  watchLazyGlobals(shared);
  for (const root of [globalThis, library, ...listHidden(), ...received]) shared.watch(root);
  const handlers = ownKeys(globalThis).filter((key) => typeof key === "string" && key.startsWith("on"));
  return () => {
    for (let index = 0; index < handlers.length; index++) {
      const handler = handlers[index];
      if (handler !== undefined && getMember(globalThis, handler)) return false;
    }
    return !isListening && Deno.exitCode === 0 && shared.areUnchanged();
  };
}

/** Watches the globals that the runtime loads when they are first read, from then on. */
function watchLazyGlobals(shared: SharedObjects): void {
  for (const name of ownKeys(globalThis)) {
    const { get: load, ...rest } = getOwnPropertyDescriptor(globalThis, name) ?? {};
    if (load === undefined || !rest.configurable) continue;
    let watched: unknown;
    const get = () => {
      const value: unknown = apply(load, globalThis, []);
      if (value !== watched) {
        watched = value;
        shared.watch(value);
        const iterate = typeof name === "string" ? ITERATORS[name] : undefined;
        if (iterate !== undefined) shared.watch(getPrototypeOf(iterate()));
      }
      return value;
    };
    defineProperty(globalThis, name, { ...rest, get });
  }
  const loadClasses = () => RETURNED_CLASSES.forEach((name) => getMember(globalThis, name));
  const { fetch } = globalThis;
  globalThis.fetch = (...args) => {
    loadClasses();
    return fetch(...args);
  };
  const { segment } = Intl.Segmenter.prototype; // A segmenter takes long to create.
  Intl.Segmenter.prototype.segment = function (this: Intl.Segmenter, text) {
    const segments = apply(segment, this, [text]);
    shared.watch(getPrototypeOf(segments));
    shared.watch(getPrototypeOf(segments[Symbol.iterator]()));
    return segments;
  };
  const { stream } = Blob.prototype;
  Blob.prototype.stream = function (this: Blob) {
    loadClasses();
    return apply(stream, this, []);
  };
}

/** Describes an object, and reports the objects to which its members and its prototype lead. */
function describe(object: object, report: (found: object) => void): SharedObject {
  const keys = ownKeys(object);
  const [names, values, accessors]: [PropertyKey[], unknown[], [PropertyKey, PropertyDescriptor][]] = [[], [], []];
  for (const key of keys) {
    const member = getOwnPropertyDescriptor(object, key);
    if (member === undefined) continue;
    const { value, get, set } = member;
    if (get !== undefined || set !== undefined) {
      accessors.push([key, member]);
      if (get !== undefined) report(get);
      if (set !== undefined) report(set);
      continue;
    }
    names.push(key);
    values.push(value);
    if (isObject(value)) report(value);
  }
  const prototype: object | null = getPrototypeOf(object);
  if (prototype !== null) report(prototype);
  return { object, prototype, isExtensible: isExtensible(object), count: keys.length, names, values, accessors };
}

function isUnchanged(shared: SharedObject): boolean {
  const { object, prototype, isExtensible: wasExtensible, count, names, values, accessors } = shared;
  if (getPrototypeOf(object) !== prototype || isExtensible(object) !== wasExtensible) return false;
  if (ownKeys(object).length !== count) return false;
  for (let index = 0; index < names.length; index++) {
    const name = names[index];
    if (name === undefined || !is(getMember(object, name), values[index])) return false;
  }
  for (let index = 0; index < accessors.length; index++) {
    const accessor = accessors[index];
    const now = accessor && getOwnPropertyDescriptor(object, accessor[0]);
    if (now === undefined || now.get !== accessor?.[1].get || now.set !== accessor?.[1].set) return false;
  }
  return true;
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
