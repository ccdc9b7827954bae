import { runTool } from "@atrium/api/testing/ToolCommand"
import { Command } from "effect/cli"

import { abuse } from "./abuse.ts"
import { cluster } from "./cluster.ts"
import { fuzz } from "./fuzz.ts"
import { soak } from "./soak.ts"
import { world } from "./world.ts"

// npm run torture -- world|soak|fuzz|abuse|cluster …: what tries to break the service, each by its name.

const torture = Command.make("torture").pipe(
  Command.withDescription("What tries to break the service"),
  Command.withSubcommands([world, soak, fuzz, abuse, cluster])
)

process.exitCode = (await runTool(torture, process.argv.slice(2))) || process.exitCode
