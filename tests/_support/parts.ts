/** The embedded service on parts of the test's choice: another place for files, files from another machine. */
import { addClient } from "../../service/access/clients.ts";
import { Tokens } from "../../service/access/tokens.ts";
import { loadServedApplication, openServedFiles } from "../../service/application.ts";
import { handlers } from "../../service/handlers/mod.ts";
import { serve, type ServerOptions } from "../../service/server.ts";
import { openBytes } from "../../service/store/bytes_on_disk.ts";
import { openSqliteStore } from "../../service/store/sqlite.ts";
import { type Callable, callable, tokenOf } from "./service.ts";

/** Serves the sample application. */
export async function openParts(
  parts: Partial<Pick<ServerOptions, "bytes" | "statics">>,
): Promise<Callable & AsyncDisposable> {
  const resources = new AsyncDisposableStack();
  const app = await loadServedApplication(undefined);
  const store = openSqliteStore(":memory:");
  resources.defer(() => store.close());
  const bytes = parts.bytes ?? openBytes();
  resources.defer(() => bytes.close());
  const tokenPath = "/token";
  const { url } = resources.use(
    await serve({
      app,
      store,
      bytes,
      statics: parts.statics ?? await openServedFiles(undefined),
      maxFileBytes: 1024,
      handlers,
      tokens: new Tokens(store, 60),
      apiRoot: "/api",
      tokenPath,
      hostname: "127.0.0.1",
      port: 0,
      log: console.error,
    }),
  );
  const token = await tokenOf({ url, tokenPath }, await addClient(store, app, "clerk@city"));
  return { ...callable(`${url}/api`, token), [Symbol.asyncDispose]: () => resources.disposeAsync() };
}
