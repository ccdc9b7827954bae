import { Command } from "effect/cli"

import { create } from "./create.ts"
import { migrateGroup } from "./MigrateGroup.ts"
import { rehearse } from "./rehearse.ts"

/** `atrium migrate`: how stored rooms follow a breaking schema. */
export const migrate = migrateGroup.pipe(Command.withSubcommands([create, rehearse]))
