/** The profile that is used if neither an option nor the environment nor the configuration names another. */
export const DEFAULT_PROFILE = "default";
