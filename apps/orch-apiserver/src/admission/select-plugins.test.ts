import { expect, test } from "vitest";
import { defaultAdmissionPlugins, implementedPlugins } from "./plugins.ts";
import { type PluginFlags, selectPlugins } from "./select-plugins.ts";

const select = (flags: Partial<PluginFlags>) => {
  const errors: string[] = [];
  const none = { "enable-admission-plugins": [], "disable-admission-plugins": [], "admission-control": [] };
  const chosen = selectPlugins({ ...none, ...flags }, (flag, text) => errors.push(`${flag}: ${text}`));
  return { chosen: [...chosen].sort(), errors };
};
const defaults = defaultAdmissionPlugins.filter((name) => implementedPlugins.includes(name));

test.each<[Partial<PluginFlags>, readonly string[]]>([
  [{}, defaults],
  [{ "enable-admission-plugins": ["AlwaysDeny", "Priority"] }, [...defaults, "AlwaysDeny"]],
  [{ "disable-admission-plugins": ["Priority", "AlwaysDeny"] }, defaults.filter((name) => name !== "Priority")],
  [{ "admission-control": ["ResourceQuota", "AlwaysAdmit"] }, ["AlwaysAdmit", "ResourceQuota"]],
])("%j", (flags, want) => {
  expect(select(flags)).toEqual({ chosen: [...want].sort(), errors: [] });
});

test.each<[Partial<PluginFlags>, RegExp]>([
  [
    { "enable-admission-plugins": ["Priority"], "disable-admission-plugins": ["Priority"] },
    /^enable-admission-plugins: "Priority" is in --disable-admission-plugins too/,
  ],
  [{ "enable-admission-plugins": ["Nope"] }, /^enable-admission-plugins: this server has no plugin "Nope"; it has /],
  [{ "admission-control": ["Nope"] }, /^admission-control: this server has no plugin "Nope"; it has /],
  [
    { "admission-control": ["Priority"], "disable-admission-plugins": ["Priority"] },
    /^admission-control: admission-control and enable-admission-plugins\/disable-admission-plugins flags are mutually exclusive$/,
  ],
])("%j is an error", (flags, want) => {
  expect(select(flags).errors).toEqual([expect.stringMatching(want)]);
});
