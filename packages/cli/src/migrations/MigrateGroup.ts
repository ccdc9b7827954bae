import { Command } from "effect/cli"

import { target } from "../projects/ProjectParameters.ts"

/** With what its subcommands take, before or after their names. */
export const migrateGroup = Command.make("migrate").pipe(Command.withSharedFlags(target))
