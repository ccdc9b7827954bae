import { machineMemory } from "@atrium/actors/servers/MachineMemory"
import type { MemoryFigures } from "@atrium/actors/servers/MemoryLook"

/** Servers that are taken for near their limit; of the machine all is true. */
export class PressedServers {
  readonly #pressed = new Set<string>()

  readonly figures: (typeof MemoryFigures)["Service"] = {
    machine: () => machineMemory(),
    isPressed: (serverId) => this.#pressed.has(serverId)
  }

  press(serverId: string, level: "none" | "high"): void {
    if (level === "high") this.#pressed.add(serverId)
    else this.#pressed.delete(serverId)
  }
}
