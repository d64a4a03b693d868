import type { Profile } from "./profiles.ts";

/** A deployment whose paths are known. */
export interface Preset {
  /** Description, without a full stop. */
  readonly about: string;
  /** Returns the members of a profile. An alias selects one of several applications of the deployment. */
  readonly createMembers: (alias?: string) => Profile;
  /** Path that the members contain already. An address that ends with it is shortened. */
  readonly contextPath?: string;
  /** True if an alias can select an application. */
  readonly takesAlias?: true;
}

/** The names of the known deployments. */
export const PRESET_NAMES = ["standard", "hosted"] as const;

/** Name of a known deployment. */
export type PresetName = typeof PRESET_NAMES[number];

/** The known deployments by name. */
export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  standard: {
    about: "Paths /dx-api/v2 and /oauth2/token, as in the embedded service",
    createMembers: () => ({}),
  },
  hosted: {
    about: "Hosted deployment, with paths below /prweb",
    createMembers: (alias) => ({
      apiRoot: `/prweb${alias === undefined ? "" : `/app/${encodeURIComponent(alias)}`}/api/application/v2`,
      tokenPath: "/prweb/PRRestService/oauth2/v1/token",
      idempotencyKeys: false,
      tags: "first",
      recordKeys: "json",
    }),
    contextPath: "/prweb",
    takesAlias: true,
  },
};

/** Returns the members of a profile for a deployment at an address. */
export function applyPreset(name: PresetName, baseUrl: string, alias?: string): Profile {
  const { contextPath = "", createMembers } = PRESETS[name];
  const address = baseUrl.replace(/\/+$/, "");
  const shortened = contextPath !== "" && address.endsWith(contextPath)
    ? address.slice(0, -contextPath.length)
    : baseUrl;
  return { baseUrl: shortened, ...createMembers(alias) };
}
