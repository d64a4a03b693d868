/** The port of a service that was started without `--port`. */
import { readState } from "../server/directory.ts";
import { MEMORY, type ServiceOptions } from "../server/settings.ts";

/** Port of the first service on a directory. */
const DEFAULT_PORT = 8080;

/** Returns the requested port, or the last one of the directory, or the default port. */
export async function choosePort({ port }: Pick<ServiceOptions, "port">, data: string): Promise<number> {
  return port ?? await findLastPort(data) ?? DEFAULT_PORT;
}

/** Tells the user if a service listens on another port than `choosePort` returned. */
export function notePort(
  { wanted, url, data }: { readonly wanted: number; readonly url: string; readonly data: string },
  note: (line: string) => void,
): void {
  const port = getPort(url);
  if (wanted === 0 || port === wanted) return;
  const next = data === MEMORY ? "" : " The next start will use the same port.";
  note(`Port ${wanted} is in use, so the service listens on port ${port}.${next}`);
}

/** Returns the port of the last service on a directory, so that clients find the next one at the same address. */
async function findLastPort(data: string): Promise<number | undefined> {
  const state = data === MEMORY ? undefined : await readState(data);
  return state && URL.canParse(state.url) ? getPort(state.url) : undefined;
}

function getPort(url: string): number {
  return Number(new URL(url).port || 80);
}
