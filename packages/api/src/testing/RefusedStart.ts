import { spawn } from "node:child_process"
import { once } from "node:events"

import { programOf } from "./BuiltPrograms.ts"

export interface RefusedStart {
  readonly code: number | null
  readonly errors: string
}

/** A start that is expected to be refused. */
export const refusedStart = async (
  env: Readonly<Record<string, string>>
): Promise<RefusedStart> => {
  const child = spawn(process.execPath, [programOf("service")], {
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      PORT: "0",
      ...env
    }
  })
  let errors = ""
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()))
  const [code] = await once(child, "exit")
  return { code, errors }
}

/** One sentence on standard error, and nothing but it. */
export const oneSentence = /^atrium: [^\n]+\.\n$/
