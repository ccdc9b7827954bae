import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"

import { Unsupported, Untestable } from "../check/Expect.ts"
import type { FixtureProbe, LocalBodies } from "./FixtureProbe.ts"
import type { World } from "./World.ts"

const noAdapter = () => Promise.reject(new Unsupported("the configuration names no adapter"))

/** Without an adapter nothing can be deployed. */
export const noFixtures: FixtureProbe = {
  deploy: noAdapter,
  schema: noAdapter,
  client: noAdapter,
  prediction: noAdapter
}

export interface OpenFixtures extends FixtureProbe {
  close(): Promise<void>
}

/** Starts the adapter of the configuration, one for the whole run. */
export const openFixtures = ({
  config,
  patience
}: Pick<World, "config" | "patience">): OpenFixtures => {
  if (config.adapter === undefined) return { ...noFixtures, close: () => Promise.resolve() }
  const adapter = new Adapter(config.adapter.argv, answersWithinMs * patience)
  const { baseUrl } = config
  return {
    deploy: async ({ id, login }, fixture) => {
      const answer = await adapter.ask({ deploy: { baseUrl, project: id, login, fixture } })
      if ("error" in answer) throw new Untestable(`the fixture ${fixture}: ${answer.error}`)
    },
    schema: async (description) => {
      const answer = await adapter.ask({ schema: { description } })
      return "error" in answer ? answer.error : null
    },
    client: async (client) => {
      const answer = await adapter.ask({ client: { baseUrl, ...client } })
      if ("error" in answer) throw new Untestable(`the client library: ${answer.error}`)
      const { joined, ended, why, sockets } = Object(answer.result)
      if (!Array.isArray(sockets)) throw new Untestable("the adapter names no sockets")
      return {
        joined: joined === true,
        ended: ended === true,
        why: typeof why === "string" ? why : null,
        sockets: sockets.map(String)
      }
    },
    prediction: async (room) => {
      const answer = await adapter.ask({ prediction: room })
      if ("error" in answer) return { refused: answer.error }
      const { own, others } = Object(answer.result)
      return { own: localBodies(own), others: localBodies(others) }
    },
    close: () => adapter.close()
  }
}

const localBodies = (told: unknown): LocalBodies => {
  const { simulated, kinematic, without } = Object(told)
  for (const count of [simulated, kinematic, without]) {
    if (typeof count !== "number") throw new Untestable("the adapter counts no local bodies")
  }
  return { simulated, kinematic, without }
}

/** The answer of the adapter: done, or its reason why not. */
type Answer = { readonly result: unknown } | { readonly error: string }

interface Asked {
  readonly answer: (answer: Answer) => void
  readonly fail: (cause: Error) => void
}

const answersWithinMs = 30_000
const endsWithinMs = 5000

/** The adapter protocol: a JSON line asks, a JSON line with the same id answers. */
class Adapter {
  readonly #argv: readonly [string, ...Array<string>]
  readonly #waitsMs: number
  readonly #asked = new Map<number, Asked>()
  #child: ChildProcess | null = null
  #count = 0

  constructor(argv: readonly [string, ...Array<string>], waitsMs: number) {
    this.#argv = argv
    this.#waitsMs = waitsMs
  }

  ask(request: object): Promise<Answer> {
    const id = ++this.#count
    const child = (this.#child ??= this.#start())
    return new Promise((resolve, reject) => {
      // The adapter is a program of others and may hang: its deadline is the machine's time.
      const late = setTimeout(() => this.#fail(id, "it does not answer"), this.#waitsMs)
      const over = (): void => {
        clearTimeout(late)
        this.#asked.delete(id)
      }
      this.#asked.set(id, {
        answer: (answer) => {
          over()
          resolve(answer)
        },
        fail: (cause) => {
          over()
          reject(cause)
        }
      })
      child.stdin?.write(`${JSON.stringify({ id, ...request })}\n`)
    })
  }

  async close(): Promise<void> {
    const child = this.#child
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, "exit")
    const kill = setTimeout(() => child.kill("SIGKILL"), endsWithinMs)
    child.stdin?.end()
    await exit
    clearTimeout(kill)
  }

  #start(): ChildProcess {
    const [program, ...args] = this.#argv
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] })
    const gone = (why: string): void => {
      this.#child = null
      for (const id of this.#asked.keys()) this.#fail(id, why)
    }
    child.on("error", (cause) => gone(String(cause)))
    child.on("exit", (code) => gone(`it ended with ${code}`))
    child.stdin?.on("error", () => undefined)
    if (child.stdout !== null) {
      createInterface({ input: child.stdout }).on("line", (line) => this.#answered(line))
    }
    return child
  }

  #answered(line: string): void {
    const { id, ok, error, result }: Record<string, unknown> = parsed(line)
    const asked = typeof id === "number" ? this.#asked.get(id) : undefined
    if (ok === true) asked?.answer({ result })
    else asked?.answer({ error: typeof error === "string" ? error : "refused without a word" })
  }

  #fail(id: number, why: string): void {
    this.#asked.get(id)?.fail(new Untestable(`the adapter: ${why}`))
  }
}

const parsed = (line: string): Record<string, unknown> => {
  try {
    return Object(JSON.parse(line))
  } catch {
    return {}
  }
}
