/** The globals of a script, as a list of what is allowed: a new version of Deno may have further ones. */
import assert from "node:assert/strict";
import { runText, scriptText } from "../../harness/workflow.ts";

const GLOBALS = `
  AbortController AbortSignal AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt BigInt64Array
  BigUint64Array Blob Boolean Buffer ByteLengthQueuingStrategy CloseEvent CompressionStream CountQueuingStrategy
  Crypto CryptoKey CustomEvent DOMException DOMMatrix DOMMatrixReadOnly DOMPoint DOMPointReadOnly DOMQuad DOMRect
  DOMRectReadOnly DataView Date DecompressionStream Deno DisposableStack Error ErrorEvent EvalError Event
  EventTarget File Float16Array Float32Array Float64Array Function Headers ImageBitmap ImageData Infinity Int16Array Int32Array
  Int8Array Intl Iterator JSON Location Map Math MessageEvent NaN Navigator NavigatorUAData Number Object
  ProgressEvent Promise PromiseRejectionEvent Proxy QuotaExceededError RangeError ReadableByteStreamController
  ReadableStream ReadableStreamBYOBReader ReadableStreamBYOBRequest ReadableStreamDefaultController
  ReadableStreamDefaultReader ReferenceError Reflect RegExp Request Response Set SharedArrayBuffer String
  SubtleCrypto SuppressedError Symbol Symbol() Symbol([[webidl.brand]]) SyntaxError Temporal TextDecoder
  TextDecoderStream TextEncoder TextEncoderStream TransformStream TransformStreamDefaultController TypeError
  URIError URL URLPattern URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakSet
  WebAssembly WebSocket Window WritableStream WritableStreamDefaultController WritableStreamDefaultWriter atob btoa
  clearImmediate clearInterval clearTimeout close closed console createImageBitmap crypto decodeURI decodeURIComponent encodeURI
  encodeURIComponent escape eval fetch global globalThis isFinite isNaN location name navigator onbeforeunload
  onerror onload onunhandledrejection onunload parseFloat parseInt performance queueMicrotask reportError self
  setImmediate setInterval setTimeout structuredClone undefined unescape`;

/** Members of `Deno`. Most of them need a permission that a script does not have. */
const OF_DENO = `
  FsFile HttpClient PermissionStatus Permissions SeekMode UnsafeCallback UnsafeFnPointer UnsafePointer
  UnsafePointerView args build chdir chmod chmodSync chown chownSync connect connectTls consoleSize copyFile
  copyFileSync create createHttpClient createSync dlopen env errors execPath exit exitCode gid hostname inspect
  isatty jupyter kill link linkSync listen listenTls loadavg lstat lstatSync makeTempDir makeTempDirSync
  makeTempFile makeTempFileSync mkdir mkdirSync networkInterfaces noColor open openSync osRelease osUptime
  permissions readDir readDirSync readFile readFileSync readLink readLinkSync readTextFile readTextFileSync realPath
  realPathSync refTimer remove removeSync rename renameSync serve serveHttp startTls stat statSync stderr stdout
  symlink symlinkSync systemMemoryInfo truncate truncateSync uid umask unrefTimer upgradeWebSocket utime utimeSync
  version watchFs writeFile writeFileSync writeTextFile writeTextFileSync`;

const OF_NAVIGATOR = `
  Symbol(Deno.privateCustomInspect) constructor hardwareConcurrency language languages platform userAgent userAgentData`;

for (const [object, allowed] of [["globalThis", GLOBALS], ["Deno", OF_DENO], ["Navigator.prototype", OF_NAVIGATOR]]) {
  Deno.test(`the members of ${object} in a sandbox are the allowed ones`, async () => {
    const script = scriptText(`return Reflect.ownKeys(${object}).map(String).sort();`, []);
    const { result, error } = await runText(script);
    assert.deepEqual(result, allowed?.trim().split(/\s+/).sort(), error?.message);
  });
}
