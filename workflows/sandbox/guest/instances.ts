/** Placeholder: the import map of a guest replaces this module by the instances of the script, one for each input. */
const instances: readonly (() => Promise<{ readonly default: unknown }>)[] = [];
export default instances;
