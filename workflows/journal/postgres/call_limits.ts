/** Limits of calls per second that processes share. */
import type { GrantedSlots } from "../../pace/slots.ts";
import type { JournalDatabase } from "./database.ts";

/** Grants the next slots of a limit, from now on. */
const GRANT = `
  INSERT INTO call_limits AS limits (target, next)
  VALUES ($1, extract(epoch FROM clock_timestamp()) * 1000 + $2::double precision)
  ON CONFLICT (target) DO UPDATE
    SET next = GREATEST(limits.next, extract(epoch FROM clock_timestamp()) * 1000) + $2::double precision
  RETURNING next - $2::double precision - extract(epoch FROM clock_timestamp()) * 1000 AS delay`;

/** Returns the name of the limit of a run. */
export function toRunTarget(runId: string): string {
  return `run ${runId}`;
}

/** Returns the name of the limit of a service, given its address and client. All clients of a service share it. */
export function toServiceTarget(service: string): string {
  return `service ${service.split(" ", 1)[0]}`;
}

/** Grants slots of a limit to this process. */
export async function grantSlots(
  database: JournalDatabase,
  target: string,
  { count, perSecond }: { readonly count: number; readonly perSecond: number },
): Promise<GrantedSlots> {
  const interval = 1000 / perSecond;
  const [row] = await database.query(GRANT, [target, count * interval], "grant_slots");
  return { count, delay: Math.max(0, Number(row?.delay)), interval };
}
