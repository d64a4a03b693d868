/** Stands where the user's script goes: the import map of a sandbox replaces this module by the script. */
const script: unknown = undefined;
export default script;
