/** Attempts to access the system: files, the network, the environment, processes, and the machine. */
import type { Attempt } from "./_attempt.ts";

const READ = `Requires read access to "{secret}"`;
const NET = `Requires net access to "{web}"`;

const FILES: readonly Attempt[] = [
  { attempt: "reads a file", script: `return await Deno.readTextFile("{secret}");`, refused: READ },
  { attempt: "reads a file synchronously", script: `return Deno.readFileSync("{secret}");`, refused: READ },
  { attempt: "opens a file", script: `return (await Deno.open("{secret}")).readable;`, refused: READ },
  { attempt: "reads the time of a file", script: `return Deno.statSync("{secret}").mtime;`, refused: READ },
  {
    attempt: "lists a folder",
    script: `return [...Deno.readDirSync("{outside}")];`,
    refused: `Requires read access to "{outside}"`,
  },
  {
    attempt: "watches a folder",
    script: `Deno.watchFs("{outside}"); return 1;`,
    refused: `Requires read access to "{outside}"`,
  },
  { attempt: "copies a file", script: `Deno.copyFileSync("{secret}", "{outside}/copy"); return 1;`, refused: READ },
  {
    attempt: "creates a link to a file and reads the link",
    script: `Deno.symlinkSync("{secret}", "link"); return Deno.readTextFileSync("link");`,
    refused: "PERMISSION_DENIED: The script failed: NotCapable: Deno.symlinkSync() requires",
  },
  {
    attempt: "reads its own source",
    script: `return await Deno.readTextFile(new URL(import.meta.url));`,
    refused: `Requires read access to "{root}/script.ts"`,
  },
  {
    attempt: "reads the folder that it was started in",
    script: `return [...Deno.readDirSync(".")].length;`,
    refused: `Requires read access to "."`,
  },
  {
    attempt: "reads its environment in /proc",
    script: `return Deno.readTextFileSync("/proc/self/environ");`,
    refused: `Requires read access to "/proc/self/environ"`,
  },
  {
    attempt: "reads the memory of the host in /proc",
    script: `return Deno.readFileSync("/proc/{pid}/mem");`,
    refused: `Requires read access to "/proc/{pid}/mem"`,
  },
  {
    attempt: "opens a file descriptor of the host",
    script: `return Deno.openSync("/dev/fd/3").readSync(new Uint8Array(1));`,
    refused: `Requires read access to "/dev/fd/3"`,
  },
  {
    attempt: "writes a file",
    script: `Deno.writeTextFileSync("{outside}/written", "x"); return 1;`,
    refused: `Requires write access to "{outside}/written"`,
  },
  {
    attempt: "writes into its temporary folder, where the next input could read it",
    script: `Deno.writeTextFileSync("left", "x"); return 1;`,
    refused: `Requires write access to "left"`,
  },
  {
    attempt: "removes a file",
    script: `Deno.removeSync("{secret}"); return 1;`,
    refused: `Requires write access to "{secret}"`,
  },
  {
    attempt: "creates a temporary file",
    script: `return Deno.makeTempFileSync();`,
    refused: "Requires write access to <TMP>",
  },
  {
    attempt: "changes the current folder",
    script: `Deno.chdir("/"); return 1;`,
    refused: `Requires read access to "/"`,
  },
  {
    attempt: "fetches a file",
    script: `return await (await fetch("file://{secret}")).text();`,
    refused: READ,
  },
];

const NETWORK: readonly Attempt[] = [
  { attempt: "fetches a page", script: `return await (await fetch("http://{web}/")).text();`, refused: NET },
  {
    attempt: "fetches a page through its own HTTP client",
    script: `const client = Deno.createHttpClient({ proxy: { url: "http://{web}" } });
      return await (await fetch("http://example.com/", { client })).text();`,
    refused: NET,
  },
  {
    attempt: "fetches over a Unix socket",
    script: `const client = Deno.createHttpClient({ proxy: { transport: "unix", path: "{socket}" } });
      return await (await fetch("http://localhost/", { client })).text();`,
    refused: `Requires read access to "{socket}"`,
  },
  { attempt: "opens a WebSocket", script: `return new WebSocket("ws://{web}/").url;`, refused: NET },
  {
    attempt: "opens an event source, which reconnects without a step",
    script: `return new EventSource("http://{web}/").readyState;`,
    refused: "ReferenceError: EventSource is not defined",
  },
  {
    attempt: "opens a TCP connection",
    script: `return (await Deno.connect({ hostname: "127.0.0.1", port: {port} })).rid;`,
    refused: NET,
  },
  {
    attempt: "opens a TLS connection",
    script: `return (await Deno.connectTls({ hostname: "127.0.0.1", port: {port} })).rid;`,
    refused: NET,
  },
  {
    attempt: "connects to a Unix socket",
    script: `return (await Deno.connect({ transport: "unix", path: "{socket}" })).rid;`,
    refused: `Requires read access to "{socket}"`,
  },
  {
    attempt: "listens on a port",
    script: `return Deno.listen({ hostname: "127.0.0.1", port: 0 }).addr;`,
    refused: `Requires net access to "127.0.0.1:0"`,
  },
  {
    attempt: "starts a server",
    script: `return Deno.serve({ hostname: "127.0.0.1", port: 0 }, () => new Response("x")).addr;`,
    refused: `Requires net access to "127.0.0.1:0"`,
  },
  {
    attempt: "starts a server on a Unix socket",
    script: `return Deno.serve({ path: "{outside}/served" }, () => new Response("x")).addr;`,
    refused: `Requires read access to "{outside}/served"`,
  },
  {
    attempt: "resolves a name, which sends data to a name server",
    script:
      `return await Deno.resolveDns("secret.example.com", "TXT", { nameServer: { ipAddr: "127.0.0.1", port: {port} } });`,
    refused: "TypeError: Deno.resolveDns is not a function",
  },
  {
    attempt: "reads the name server from an error",
    script: `return await Promise.try(() => Deno.resolveDns("a.example", "A")).catch(({ message }) => message);`,
    refused: `gives "Deno.resolveDns is not a function"`,
  },
  {
    attempt: "sends a datagram",
    script: `return Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 }).addr;`,
    refused: "Deno.listenDatagram is not a function",
  },
  {
    attempt: "opens a QUIC connection",
    script: `return await Deno.connectQuic({ hostname: "127.0.0.1", port: {port}, alpnProtocols: ["h3"] });`,
    refused: "Deno.connectQuic is not a function",
  },
  {
    attempt: "opens a WebTransport",
    script: `return await new WebTransport("https://{web}/").ready;`,
    refused: "ReferenceError: WebTransport is not defined",
  },
];

const MACHINE: readonly Attempt[] = [
  {
    attempt: "reads an environment variable",
    script: `return Deno.env.get("{variable}");`,
    refused: `Requires env access to "{variable}"`,
  },
  { attempt: "reads all environment variables", script: `return Deno.env.toObject();`, refused: "Requires env access" },
  {
    attempt: "sets an environment variable",
    script: `Deno.env.set("PATH", "/tmp"); return 1;`,
    refused: `Requires env access to "PATH"`,
  },
  {
    attempt: "starts a process",
    script: `return new Deno.Command("/bin/sh", { args: ["-c", "id"] }).outputSync().code;`,
    refused: "TypeError: Deno.Command is not a constructor",
  },
  {
    attempt: "starts a process with Deno.spawn",
    script: `return await Deno.spawn("/bin/sh", []).status;`,
    refused: "TypeError: Deno.spawn is not a function",
  },
  {
    attempt: "finds the programs of a folder by starting them",
    script: `const seen = [];
      const options = { env: { PATH: "/bin" } };
      for (const name of ["sh", "no such program"]) {
        for (const start of [
          () => new Deno.Command(name, options).outputSync(),
          () => new Deno.Command(name, options).spawn(),
          () => Deno.spawn(name, [], options),
          () => Deno.spawnAndWaitSync(name, [], options),
          () => Deno.spawnAndWait(name, [], options),
          () => Deno.run({ cmd: [name], ...options }),
        ]) {
          await Promise.try(start).catch((error) => seen.push(error.name));
        }
      }
      return [...new Set(seen)];`,
    refused: `gives ["TypeError"]`,
  },
  {
    attempt: "starts svc's own runtime with all permissions",
    script: `return new Deno.Command(Deno.execPath(), { args: ["eval", "-A", "1"] }).outputSync().code;`,
    refused: "TypeError: Deno.Command is not a constructor",
  },
  {
    attempt: "takes the pipes of its process",
    script: `return typeof new Deno.Process({ rid: 0, pid: 1, stdinRid: 0, stdoutRid: 1, stderrRid: 2 }).stdout;`,
    refused: "TypeError: Deno.Process is not a constructor",
  },
  { attempt: "ends its parent", script: `Deno.kill({pid}, "SIGKILL"); return 1;`, refused: "Requires run access" },
  { attempt: "stops all processes", script: `Deno.kill(-1, "SIGSTOP"); return 1;`, refused: "Requires run access" },
  {
    attempt: "ends with the exit code of a success",
    script: `Deno.exit(0);`,
    refused: "WORKFLOW_FAILED: The script ended its process (exit code 0) before it returned a result.",
  },
  {
    attempt: "sends a signal to its process group, in which its parent is",
    script: `Deno.kill(0, "SIGCONT"); return 1;`,
    refused: "Requires run access",
  },
  {
    attempt: "learns its process, its parent's, and what memory they use",
    script: `return [Deno.pid, Deno.ppid, Deno.memoryUsage, Deno.cpuUsage].map((one) => typeof one);`,
    refused: `gives ["undefined","undefined","undefined","undefined"]`,
  },
  {
    attempt: "loads a native library",
    script: `return Deno.dlopen("libc.so.6", {}).symbols;`,
    refused: `Requires ffi access to "libc.so.6"`,
  },
  {
    attempt: "reads memory by its address",
    script: `return new Deno.UnsafePointerView(Deno.UnsafePointer.create(4096n)).getUint8();`,
    refused: "Requires ffi access",
  },
  { attempt: "learns the name of the machine", script: `return Deno.hostname();`, refused: "Requires sys access" },
  { attempt: "reads the version of the system", script: `return Deno.osRelease();`, refused: "Requires sys access" },
  { attempt: "reads the uptime of the machine", script: `return Deno.osUptime();`, refused: "Requires sys access" },
  { attempt: "reads its user", script: `return [Deno.uid(), Deno.gid()];`, refused: "Requires sys access" },
  {
    attempt: "reads the network addresses of the machine",
    script: `return Deno.networkInterfaces();`,
    refused: "Requires sys access",
  },
  {
    attempt: "reads the load of the machine, which depends on other inputs",
    script: `return [Deno.loadavg(), Deno.systemMemoryInfo()];`,
    refused: "Requires sys access",
  },
  {
    attempt: "reads the graphics card",
    script: `return await navigator.gpu.requestAdapter();`,
    refused: "TypeError: Cannot read properties of undefined (reading 'requestAdapter')",
  },
  {
    attempt: "requests permissions",
    script: `const names = ["read", "write", "net", "env", "run", "ffi", "sys", "import"];
      return await Promise.all(names.map(async (name) => (await Deno.permissions.request({ name })).state));`,
    refused: `gives ["denied","denied","denied","denied","denied","denied","denied","denied"]`,
  },
  {
    attempt: "revokes permissions and requests them again",
    script: `await Deno.permissions.revoke({ name: "read" });
      await Deno.permissions.request({ name: "read", path: "{outside}" });
      return Deno.readTextFileSync("{secret}");`,
    refused: READ,
  },
  {
    attempt: "prompts the user",
    script: `return globalThis.prompt("password?");`,
    refused: "globalThis.prompt is not a function",
  },
];

/** All attempts to access the system. */
export const ACCESS: readonly Attempt[] = [...FILES, ...NETWORK, ...MACHINE];
