/** The files in which the command line keeps what it has read with a profile. */
export const PROFILE_FILES = ["completion", "last-case"] as const;

/** Returns the path of a file of a profile. */
export function getProfileFile(directory: string, file: typeof PROFILE_FILES[number], profile: string): string {
  return `${directory}/${file}.${profile}.json`;
}
