import type { Flag, FlagTable } from "../flag.ts";
import { globalFlags } from "../global-flags.ts";

/** A program whose command line shells complete. */
export interface CompletedProgram {
  readonly name: string;
  /** Without `help` and `version`, which every program has. */
  readonly flags: FlagTable;
}

/** Writes the script with which a shell completes a program's command line. */
type CompletionScript = (program: CompletedProgram) => string;

/** The first word of the command line that prints a script; its operand is a shell. */
export const COMPLETION_COMMAND = "completion";

/** The flags that help pages show, sorted by name. */
const shownFlags = ({ flags }: CompletedProgram): readonly (readonly [string, Flag])[] =>
  Object.entries<Flag>({ ...flags, ...globalFlags })
    .filter(([, flag]) => flag.hidden !== true)
    .sort(([a], [b]) => (a < b ? -1 : 1));

/** Whether the name of a flag says that its value is the path of a file or directory. */
const isPath = (name: string): boolean => /(^|-)(file|dir|path|config|orchconfig|cafile|certfile|keyfile)$/.test(name);

/** The first sentence of a flag's help, without characters that shells treat specially. */
const summary = (help: string): string => (help.split(/(?<=\.)\s/)[0] ?? "").replaceAll(/["'`$\\[\]:\n]/g, " ").trim();

/** Values that a flag accepts, where there are few. */
const valuesOf = (flag: Flag): readonly string[] =>
  (flag.oneOf ?? (flag.type === "bool" ? ["true", "false"] : [])).filter((value) => value !== "");

/** Flags, and the values of flags that accept few or are paths. */
function bashCompletion(program: CompletedProgram): string {
  const flags = shownFlags(program);
  const id = program.name.replaceAll("-", "_");
  const cases = flags.flatMap(([name, flag]) => {
    const values = valuesOf(flag);
    if (values.length > 0) return [`    --${name}) COMPREPLY=($(compgen -W "${values.join(" ")}" -- "$current")) ;;`];
    return isPath(name) ? [`    --${name}) COMPREPLY=($(compgen -f -- "$current")) ;;`] : [];
  });
  const names = flags.map(([name]) => `--${name}`).join(" ");
  return `# Completion of ${program.name} for bash.
_${id}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" flag="\${COMP_WORDS[COMP_CWORD-1]}" first=""
  if [[ $flag == "=" ]]; then flag="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  if [[ $current == "=" ]]; then flag="\${COMP_WORDS[COMP_CWORD-1]}" current=""; fi
  if [[ $COMP_CWORD == 1 ]]; then first=" ${COMPLETION_COMMAND}"; fi
  COMPREPLY=()
  case "$flag" in
    ${COMPLETION_COMMAND}) COMPREPLY=($(compgen -W "${SHELLS.join(" ")}" -- "$current")) ;;
${cases.join("\n")}
    *) COMPREPLY=($(compgen -W "${names}$first" -- "$current")) ;;
  esac
}
complete -F _${id} ${program.name}
`;
}

/** Flags with the first sentence of their help, and their values. */
function zshCompletion(program: CompletedProgram): string {
  const lines = shownFlags(program).map(([name, flag]) => {
    const values = valuesOf(flag);
    const action = values.length > 0 ? `(${values.join(" ")})` : isPath(name) ? "_files" : "";
    return `  '--${name}=[${summary(flag.help)}]:${flag.type}:${action}'`;
  });
  const words = [`  '1::command:(${COMPLETION_COMMAND})'`, `  '2::shell:(${SHELLS.join(" ")})'`];
  return `#compdef ${program.name}\n_arguments \\\n${[...lines, ...words].join(" \\\n")}\n`;
}

/** Flags with the first sentence of their help, and their values. */
function fishCompletion(program: CompletedProgram): string {
  const { name: command } = program;
  const lines = shownFlags(program).map(([name, flag]) => {
    const values = valuesOf(flag);
    const value = values.length > 0 ? ` -x -a '${values.join(" ")}'` : isPath(name) ? " -r -F" : " -x";
    return `complete -c ${command} -l ${name}${value} -d '${summary(flag.help)}'`;
  });
  const words = [
    `complete -c ${command} -f -n __fish_is_first_arg -a ${COMPLETION_COMMAND}`,
    `complete -c ${command} -f -n '__fish_seen_subcommand_from ${COMPLETION_COMMAND}' -a '${SHELLS.join(" ")}'`,
  ];
  return `${[...lines, ...words].join("\n")}\n`;
}

/** The script for each shell, by the shell's name. */
export const completionScripts = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
} as const satisfies Readonly<Record<string, CompletionScript>>;

export type Shell = keyof typeof completionScripts;

/** The shells for which there is a script. */
export const SHELLS = Object.keys(completionScripts) as readonly Shell[];
