// npm run torture -- world|soak|fuzz|abuse …: what tries to break the service, each by its name.

const programs: Readonly<Record<string, () => Promise<unknown>>> = {
  world: () => import("./world.ts"),
  soak: () => import("./soak.ts"),
  fuzz: () => import("./fuzz.ts"),
  abuse: () => import("./abuse.ts")
}

const [, , name = ""] = process.argv
const program = programs[name]
if (program === undefined) {
  process.stderr.write(
    `npm run torture -- ${Object.keys(programs).join("|")} …: "${name}" is none of them\n`
  )
  process.exitCode = 2
} else {
  // The program reads its own arguments, as when it is started by itself.
  process.argv.splice(2, 1)
  await program()
}
