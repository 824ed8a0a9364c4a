import { type DaemonReference, shownFlags } from "./daemon-flags.ts";

/** Whether a flag's value is the path of a file or folder, as far as its name tells. */
const isPath = (name: string): boolean => /(^|-)(file|dir|path|config|orchconfig|cafile|certfile|keyfile)$/.test(name);

/** The first sentence of a flag's help, without characters that shells treat specially. */
const summary = (help: string): string => (help.split(/(?<=\.)\s/)[0] ?? "").replaceAll(/["'`$\\[\]:\n]/g, " ").trim();

/** Values that a flag accepts, where there are few. */
const valuesOf = (flag: ReturnType<typeof shownFlags>[number][1]): readonly string[] =>
  (flag.oneOf ?? (flag.type === "bool" ? ["true", "false"] : [])).filter((value) => value !== "");

/** Completion for bash: flags, and the values of flags that accept few or are paths. */
export function bashCompletion(daemon: DaemonReference): string {
  const flags = shownFlags(daemon);
  const id = daemon.name.replaceAll("-", "_");
  const cases = flags.flatMap(([name, flag]) => {
    const values = valuesOf(flag);
    if (values.length > 0) return [`    --${name}) COMPREPLY=($(compgen -W "${values.join(" ")}" -- "$current")) ;;`];
    return isPath(name) ? [`    --${name}) COMPREPLY=($(compgen -f -- "$current")) ;;`] : [];
  });
  return `# Completion of ${daemon.name} for bash.
_${id}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" flag="\${COMP_WORDS[COMP_CWORD-1]}"
  if [[ $flag == "=" ]]; then flag="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  if [[ $current == "=" ]]; then flag="\${COMP_WORDS[COMP_CWORD-1]}" current=""; fi
  COMPREPLY=()
  case "$flag" in
${cases.join("\n")}
    *) COMPREPLY=($(compgen -W "${flags.map(([name]) => `--${name}`).join(" ")}" -- "$current")) ;;
  esac
}
complete -F _${id} ${daemon.name}
`;
}

/** Completion for zsh, with the first sentence of each flag's help. */
export function zshCompletion(daemon: DaemonReference): string {
  const lines = shownFlags(daemon).map(([name, flag]) => {
    const values = valuesOf(flag);
    const action = values.length > 0 ? `(${values.join(" ")})` : isPath(name) ? "_files" : "";
    return `  '--${name}=[${summary(flag.help)}]:${flag.type}:${action}'`;
  });
  return `#compdef ${daemon.name}\n_arguments \\\n${lines.join(" \\\n")}\n`;
}

/** Completion for fish, with the first sentence of each flag's help. */
export function fishCompletion(daemon: DaemonReference): string {
  const lines = shownFlags(daemon).map(([name, flag]) => {
    const values = valuesOf(flag);
    const value = values.length > 0 ? ` -x -a '${values.join(" ")}'` : isPath(name) ? " -r -F" : " -x";
    return `complete -c ${daemon.name} -l ${name}${value} -d '${summary(flag.help)}'`;
  });
  return `${lines.join("\n")}\n`;
}
