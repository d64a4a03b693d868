/** Placeholder of the script: the import map of a guest replaces this module. */
const script: unknown = undefined;
export default script;
