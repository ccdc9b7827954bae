/** Processor time that this thread has taken so far, in milliseconds: what other work the machine does is not in it. */
export const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
