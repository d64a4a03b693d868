/** The name of a schedule. */
export const scheduleName = {
  name: "name",
  help: "Name of the schedule",
  type: "string",
  required: true,
  suggest: async () => await (await import("./open_schedules.ts")).suggestSchedules(),
} as const;
