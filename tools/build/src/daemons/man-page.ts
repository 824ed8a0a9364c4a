import { defaultNote } from "@orchernetes/component";
import { workspaceVersion } from "../licences/sbom.ts";
import { type DaemonReference, shownFlags } from "./daemon-flags.ts";

/** Text as roff shows it unchanged: no escapes, and no requests at the start of a line. */
const roffText = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^([.'])/gm, "\\&$1");

const flagEntry = ([name, flag]: ReturnType<typeof shownFlags>[number]): string => {
  const short = flag.short === undefined ? "" : `, \\fB\\-${flag.short}\\fR`;
  const value = flag.type === "bool" ? "" : `=\\fI${flag.type}\\fR`;
  const notes = [
    flag.help,
    flag.oneOf === undefined ? "" : `Accepted values: ${flag.oneOf.filter((one) => one !== "").join(", ")}.`,
    defaultNote(flag),
    flag.effect === "none" ? "It has no effect yet." : "",
    flag.deprecated === undefined ? "" : `Deprecated: ${flag.deprecated}`,
  ];
  const text = notes.filter((note) => note !== "").join(" ");
  return `.TP\n\\fB\\-\\-${roffText(name)}\\fR${value}${short}\n${roffText(text)}`;
};

/** The manual page of a daemon, section 8, from its flag table. */
export function renderManPage(daemon: DaemonReference): string {
  const { name, description } = daemon;
  const sections = [...Map.groupBy(shownFlags(daemon), ([, flag]) => flag.group)].map(
    ([group, flags]) => `.SS ${roffText(group)}\n${flags.map(flagEntry).join("\n")}`,
  );
  const [summary = ""] = description.split(/[.,:;] /);
  return `${[
    `.TH ${name.toUpperCase()} 8 "" "Orchernetes ${workspaceVersion()}" "Orchernetes"`,
    // Long names and values leave lines that cannot be justified.
    ".ad l\n.nh",
    `.SH NAME\n${name} \\- ${roffText(summary.replace(/\.$/, ""))}`,
    `.SH SYNOPSIS\n.B ${name}\n[\\fIflags\\fR]`,
    `.SH DESCRIPTION\n${roffText(description)}`,
    ".SH OPTIONS",
    ...sections,
    `.SH FILES\n.TP\n.I /etc/orchernetes/${name}.env\nFLAGS of the systemd unit, on one line.`,
    `.SH EXIT STATUS\n0 after SIGTERM or SIGINT; 1 for wrong flags or files, which are all reported, and for errors.`,
  ].join("\n")}\n`;
}
