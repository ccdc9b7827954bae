import { spawn, type ChildProcess } from "node:child_process"

/**
 * Reads which room processes live. When the service is gone, even by SIGKILL, the reading ends and
 * what still lives is ended with it. The signals of a terminal are for the service alone.
 */
const script = `
trap '' HUP INT TERM
pids=' '
while read -r order pid; do
  case $order in
    +) pids="$pids$pid " ;;
    -) pids="\${pids%% $pid *} \${pids#* $pid }" ;;
  esac
done
for pid in $pids; do kill -s KILL "$pid"; done
`

/**
 * Sees to it that no room process outlives the service. A room whose code loops for ever never
 * reads that its fd 3 has ended; somebody else has to notice.
 */
export class RoomGuardian {
  readonly #process: ChildProcess
  readonly #ended: Promise<void>

  constructor() {
    this.#process = spawn("/bin/sh", ["-c", script], {
      env: {},
      cwd: "/",
      stdio: ["pipe", "ignore", "ignore"],
      detached: true
    })
    this.#ended = new Promise((resolve) => {
      this.#process.once("exit", () => resolve())
      this.#process.once("error", () => resolve())
    })
    // A guardian that is gone guards nothing; rooms that do not loop still end by themselves.
    this.#process.stdin?.on("error", () => {})
  }

  /** A room process lives. */
  watch(pid: number): void {
    this.#order("+", pid)
  }

  /** A room process has ended: its number may soon be somebody else's. */
  forget(pid: number): void {
    this.#order("-", pid)
  }

  /** Ends what is still watched, and the guardian itself; resolves when it is gone. */
  close(): Promise<void> {
    this.#process.stdin?.end()
    return this.#ended
  }

  #order(order: "+" | "-", pid: number): void {
    // A process that never ran has no number, and 0 would be a whole group.
    if (pid > 0) this.#process.stdin?.write(`${order} ${pid}\n`)
  }
}
