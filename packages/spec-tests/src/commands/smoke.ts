import { styleText } from "node:util"

import { Command } from "effect/cli"

import { codecsOf, settings } from "../engine/Settings.ts"
import { smoke as smokeOf } from "../engine/Smoke.ts"
import { printable } from "../report/Printable.ts"
import { Ambient } from "../trial/Ambient.ts"
import { openFixtures } from "../trial/Fixtures.ts"
import { openWorld } from "../trial/World.ts"
import { endingWith, interruptible } from "./CommandEnd.ts"
import { givenOf } from "./run.ts"
import { implementation } from "./SuiteFlags.ts"

/** `spec-tests smoke`: whether all that the configuration declares is there. */
export const smoke = Command.make("smoke", implementation, (input) =>
  endingWith((_, say) =>
    interruptible(async (signal) => {
      const config = settings(givenOf(input))
      const codecs = await codecsOf(config, input.config)
      const world = await openWorld(config, { codecs, strict: false })
      const fixtures = openFixtures(world)
      try {
        const ambient = new Ambient([], codecs)
        const findings = await smokeOf({ world, ambient, fixtures, signal })
        for (const { what, ok, detail, tookMs } of findings) {
          const verdict = ok
            ? styleText("green", "ok    ", { stream: process.stdout })
            : styleText("red", "FAILED", { stream: process.stdout })
          say.log(`${verdict}  ${what}: ${printable(detail)} (${tookMs} ms)`)
        }
        return findings.some(({ ok }) => !ok) ? 1 : 0
      } finally {
        await fixtures.close()
        world.close()
      }
    })
  )
).pipe(Command.withDescription("Look whether all that is declared is there, in seconds"))
