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
  events: { activity: string; resource: string; group: string; time: string }[];
}

export default defineWorkflow<LoggedCase[]>({
  name: "replay-log",
  allow: ["cases.create", "assignments.get-next", "assignments.perform"],
  async run({ svc, input, log }) {
    const handles: Record<string, string> = {};
    for (const { key, attributes, events } of input) {
      const created = await svc.cases.create({ type: "City-Permit-Work-Receipt", data: contentOf(key, attributes) });
      for (const [position, { activity, resource, group, time }] of events.entries()) {
        const next = await svc.assignments.getNext();
        await svc.assignments.perform(next.id, {
          action: activity,
          data: {
            Resource: resource,
            ResourceGroup: group,
            PerformedAt: dateTime(time),
            Last: position === events.length - 1,
          },
        });
      }
      handles[key] = created.id;
    }
    log(`${input.length} cases replayed`);
    return handles;
  },
});

function contentOf(key: string, attributes: Record<string, string>) {
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

/** The log has a blank between date and time where ISO 8601 has a `T`. */
function dateTime(time: string | undefined): string | undefined {
  return time?.replace(" ", "T");
}
