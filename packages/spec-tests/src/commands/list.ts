import { Command, Flag } from "effect/cli"

import { features } from "../engine/Features.ts"
import { meaningless, selected } from "../engine/Selection.ts"
import { Misused } from "../engine/Settings.ts"
import { checkedIds, wholeSuite } from "../engine/Suite.ts"
import { endingWith } from "./CommandEnd.ts"
import { selection } from "./SuiteFlags.ts"

/** `spec-tests list`: the requirements, and which of them have a check. */
export const list = Command.make(
  "list",
  {
    ...selection,
    features: Flag.Boolean("features").pipe(
      Flag.withDescription("The names that `features` of the configuration takes, instead"),
      Flag.withDefault(false)
    ),
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("One requirement in JSON a line"),
      Flag.withDefault(false)
    )
  },
  (input) =>
    endingWith((_, say) => {
      if (input.features) {
        for (const [name, what] of Object.entries(features)) say.log(`${name.padEnd(18)}  ${what}`)
        return 0
      }
      const none = meaningless(wholeSuite.requirements, [...input.only, ...input.skip])
      if (none.length > 0) throw new Misused(`no requirement is ${none.join(", ")}`)
      const checked = checkedIds(wholeSuite)
      for (const requirement of selected(wholeSuite.requirements, input)) {
        const { id, sameAs, tier, level, line, statement } = requirement
        const isChecked = checked.has(id) || (sameAs !== undefined && checked.has(sameAs))
        const row = `${isChecked ? "x" : "-"} ${tier} ${level.padEnd(7)} ${String(line).padStart(4)}  ${id}`
        const note = isChecked || tier === "D" ? "" : "  (no check yet)"
        const text = input.json
          ? JSON.stringify({ ...requirement, checked: isChecked })
          : `${row}  ${statement}${note}`
        say.log(text)
      }
      return 0
    })
).pipe(
  Command.withDescription("List requirements: x has a check, tier, level, line, id, statement")
)
