/**
 * Replays a share of an event log: one case per logged case, one performed assignment per logged event.
 *
 * svc workflow run replay_log.ts --input @cases.json --allow-declared
 */
import { defineWorkflow } from "@svc/lib/workflow";

/** A case of the log. */
interface LoggedCase {
  /** Its key in the log. */
  key: string;
  /** What the log says of the case as a whole. */
  attributes: Record<string, string>;
  /** In time order. */
  events: LoggedEvent[];
}

/** An event of a case. */
interface LoggedEvent {
  activity: string;
  resource: string;
  group: string;
  time: string;
}

export default defineWorkflow<LoggedCase[]>({
  name: "replay-log",
  allow: ["cases.create", "assignments.get-next", "assignments.perform"],
  async run({ svc, input, log }) {
    const handles: Record<string, string> = {};
    for (const logged of input) {
      const { key, events } = logged;
      const created = await svc.cases.create({ type: "City-Permit-Work-Receipt", data: caseContent(logged) });
      for (const event of events) {
        const next = await svc.assignments.getNext();
        const data = eventContent(event, event === events.at(-1));
        await svc.assignments.perform(next.id, { action: event.activity, data });
      }
      handles[key] = created.id;
    }
    log(`${input.length} cases replayed`);
    return handles;
  },
});

/** What the case begins with. */
export function caseContent({ key, attributes }: LoggedCase) {
  return {
    Reference: key,
    Channel: attributes.channel,
    Department: attributes.department,
    RequestGroup: attributes.group,
    Responsible: attributes.responsible,
    StartDate: dateTime(attributes.startdate),
    EndDate: dateTime(attributes.enddate),
    PlannedEndDate: dateTime(attributes.enddate_planned),
    Deadline: dateTime(attributes.deadline),
  };
}

/** What is performed for an event; the last one resolves the case. */
export function eventContent({ resource, group, time }: LoggedEvent, isLast: boolean) {
  return { Resource: resource, ResourceGroup: group, PerformedAt: dateTime(time), Last: isLast };
}

/** The log has a blank between date and time where ISO 8601 has a `T`. */
function dateTime(time: string | undefined): string | undefined {
  return time?.replace(" ", "T");
}
