// map.cpp - std::map as the index, the structure that libomptarget uses: what ours is compared with.
#include <cstdint>
#include <cstdlib>
#include <map>

using Map = std::map<uint64_t, void *>;

extern "C" {
void *map_new() { return new Map; }
void map_free(void *map) { delete static_cast<Map *>(map); }
void map_insert(void *map, uint64_t key, void *record) { static_cast<Map *>(map)->emplace(key, record); }
void map_erase(void *map, uint64_t key) { static_cast<Map *>(map)->erase(key); }
// Gives back the records too, which came from malloc.
void map_free_records(void *map)
{
    for (auto &entry : *static_cast<Map *>(map))
        std::free(entry.second);
    map_free(map);
}
// The record with the greatest key <= p.
void *map_floor(void *map, uint64_t p)
{
    Map *m = static_cast<Map *>(map);
    auto after = m->upper_bound(p);
    return after == m->begin() ? nullptr : std::prev(after)->second;
}
}
