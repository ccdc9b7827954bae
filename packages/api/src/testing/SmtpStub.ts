import { createServer, type Socket } from "node:net"
import { createInterface } from "node:readline"

/** A mail as a mail server has taken it. */
export interface TakenMail {
  readonly from: string
  readonly to: string
  /** Headers and text, as they came. */
  readonly data: string
}

/** A mail server on this machine, which takes what it gets or refuses what a test wants refused. */
export interface SmtpStub {
  readonly url: string
  readonly mails: ReadonlyArray<TakenMail>
  /** The answer to the next commands of this name, such as `RCPT`; `null` = it closes the connection. */
  readonly answers: Map<string, string | null>
  close(): Promise<void>
}

/** The part of SMTP that a client without a password and without TLS speaks. Source: RFC 5321. */
export const startSmtpStub = async (): Promise<SmtpStub> => {
  const mails: Array<TakenMail> = []
  const answers = new Map<string, string | null>()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => socket.destroy())
    const state = { from: "", to: "", data: null as Array<string> | null }
    const answer = (command: string, usual: string): void => {
      const said = answers.get(command)
      if (said === null) return void socket.destroy()
      socket.write(`${said ?? usual}\r\n`)
    }
    socket.write("220 stub\r\n")
    createInterface({ input: socket }).on("line", (line) => {
      if (state.data !== null) {
        if (line !== ".") return void state.data.push(line)
        const data = state.data.join("\n")
        state.data = null
        if (answers.get("END") === undefined) mails.push({ from: state.from, to: state.to, data })
        return answer("END", "250 taken")
      }
      const [command = ""] = line.toUpperCase().split(/[ :]/)
      const address = /<([^>]*)>/.exec(line)?.[1] ?? ""
      if (command === "MAIL") state.from = address
      if (command === "RCPT") state.to = address
      if (command === "DATA" && !answers.has("DATA")) state.data = []
      answer(command, command === "DATA" ? "354 go on" : "250 ok")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the stub has no port")
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    mails,
    answers,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      })
  }
}
