/**
 * Replays a part of an event log: creates a case per logged case, and performs an assignment per logged event.
 *
 * svc workflow run replay_log.ts --input @cases.json --allow-declared
 */
import { defineWorkflow } from "@svc/lib/workflow";

/** A case of the log. */
interface LoggedCase {
  /** Key in the log. */
  key: string;
  /** Attributes of the case. */
  attributes: Record<string, string>;
  /** Events in order of time. */
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

/** Returns the initial content of a case. */
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

/** Returns the data that is submitted for an event. The last event resolves the case. */
export function eventContent({ resource, group, time }: LoggedEvent, isLast: boolean) {
  return { Resource: resource, ResourceGroup: group, PerformedAt: dateTime(time), Last: isLast };
}

/** Converts the time format of the log, which has a space between date and time, to ISO 8601. */
function dateTime(time: string | undefined): string | undefined {
  return time?.replace(" ", "T");
}
