import { Context } from "effect"

/** The folder that the command was started in; paths of the command line are relative to it. */
export const WorkingDirectory: Context.Reference<string> = Context.Reference(
  "@atrium/cli/WorkingDirectory",
  { defaultValue: () => process.cwd() }
)
