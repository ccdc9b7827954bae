#!/usr/bin/env node
import packageJson from "../package.json" with { type: "json" }
import { keepCompiled } from "./CompileCache.ts"

const argv = process.argv.slice(2)
const { version } = packageJson

if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-v")) {
  process.stdout.write(`${version}\n`)
} else {
  keepCompiled(process.env)
  const { runProgram } = await import("./Program.ts")
  await runProgram(argv)
}
