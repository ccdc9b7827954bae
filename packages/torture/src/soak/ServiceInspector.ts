import type { RunningService } from "@atrium/api/testing/RunningService"
import { WebSocket } from "ws"

/** The environment with which a service lets itself be looked into. */
export const inspectable = { NODE_OPTIONS: "--inspect=127.0.0.1:0" } as const

/** What Node says of the service's own process. */
export interface Inside {
  readonly heapBytes: number
  readonly timers: number
}

/** Asks Node's inspector: only a collected heap tells a leak from garbage. */
export class ServiceInspector {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (answer: Readonly<Record<string, unknown>>) => void>()
  #lastId = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on("message", (data: Buffer) => {
      const message = Object(JSON.parse(data.toString()))
      this.#waiting.get(message["id"])?.(message)
    })
    socket.on("close", () => {
      for (const settle of this.#waiting.values()) settle({ error: "the service is gone" })
    })
  }

  /** @param service was started with {@link inspectable} */
  static async open(service: RunningService): Promise<ServiceInspector> {
    const url = /^Debugger listening on (ws:\S+)$/m.exec(service.output())?.[1]
    if (url === undefined) throw new Error("the service cannot be inspected")
    const socket = new WebSocket(url)
    await new Promise<void>((resolve, reject) => {
      socket.once("open", () => resolve())
      socket.once("error", reject)
    })
    return new ServiceInspector(socket)
  }

  async look(): Promise<Inside> {
    // A second collection takes away the objects that the first one sets free.
    await this.#ask("HeapProfiler.collectGarbage", {})
    await this.#ask("HeapProfiler.collectGarbage", {})
    const told = await this.evaluate(`JSON.stringify({
      heapBytes: process.memoryUsage().heapUsed,
      timers: process.getActiveResourcesInfo().filter((name) => name === "Timeout").length
    })`)
    return JSON.parse(told)
  }

  /** Runs an expression in the service. @returns its value, which must be a text */
  async evaluate(expression: string): Promise<string> {
    const answer = await this.#ask("Runtime.evaluate", { expression, returnByValue: true })
    const value: unknown = Object(Object(answer)["result"])["value"]
    if (typeof value !== "string") throw new Error(`no text: ${JSON.stringify(answer)}`)
    return value
  }

  close(): void {
    this.#socket.terminate()
  }

  #ask(method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    this.#lastId += 1
    const id = this.#lastId
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ error, result }) => {
        this.#waiting.delete(id)
        if (error === undefined) resolve(result)
        else reject(new Error(`${method}: ${JSON.stringify(error)}`))
      })
      this.#socket.send(JSON.stringify({ id, method, params }))
    })
  }
}
