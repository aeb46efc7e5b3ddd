import { z } from "zod";
import type { CallControl, Tool } from "../../conversation/tool-calls/tool.ts";
import { builtInTool } from "./built-in-tool.ts";

const ROOMS = ["kitchen", "living room", "bedroom", "bathroom", "study", "hallway"] as const;
type Room = (typeof ROOMS)[number];

interface RoomState {
  light: boolean;
  /** Per cent of full light, while it is on. */
  brightness: number;
  /** Degrees Celsius that the heating keeps. */
  degrees: number;
}

const room = z.enum(ROOMS);

/** A house that exists only in this call, so that the assistant of a demonstration tells the truth. */
export function demoHouseTools({ show, keepState }: CallControl): readonly Tool[] {
  const house = Object.fromEntries(ROOMS.map((name) => [name, { light: false, brightness: 100, degrees: 20 }]));
  const rooms = house as Record<Room, RoomState>;
  keepState({ get: () => house, restore: (kept) => Object.assign(house, kept) });
  const changed = (name: Room) => {
    show({ tool: "demo_house", state: house });
    return { [name]: rooms[name] };
  };
  return [
    builtInTool({
      name: "set_light",
      description: "Switches the light of a room on or off, or dims it.",
      parameters: z.object({ room, on: z.boolean(), brightness: z.int().min(1).max(100).optional() }),
      run({ room: name, on, brightness = rooms[name].brightness }) {
        rooms[name] = { ...rooms[name], light: on, brightness };
        return changed(name);
      },
    }),
    builtInTool({
      name: "set_temperature",
      description: "Sets the temperature of a room in degrees Celsius.",
      parameters: z.object({ room, degrees: z.int().min(5).max(30) }),
      run({ room: name, degrees }) {
        rooms[name] = { ...rooms[name], degrees };
        return changed(name);
      },
    }),
    builtInTool({
      name: "get_house",
      mayRepeat: true,
      description: "Tells which lights are on and how warm each room is.",
      parameters: z.object({}),
      run: () => house,
    }),
  ];
}
