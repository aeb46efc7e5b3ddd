# shellcheck shell=bash
# The graphics card of this machine, and the libraries of llama.cpp that can use it.

devices=/dev vulkan_drivers=(/etc/vulkan/icd.d /usr/share/vulkan/icd.d)

# Sets $gpu, a description or nothing, and $gpu_kinds, the libraries to keep: cuda, vulkan.
find_gpu() {
  local cards
  gpu='' gpu_kinds=''
  if gpu=$(nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader 2>/dev/null | head -1) && [ -n "$gpu" ]; then
    gpu_kinds=cuda
  elif compgen -G "$devices/nvidia[0-9]*" >/dev/null; then
    # A container may have the card without the driver's tools.
    gpu='an NVIDIA card' gpu_kinds=cuda
  fi
  if [ -n "$gpu_kinds" ] && ! has_library libcuda.so.1; then
    note 'the NVIDIA driver lacks libcuda.so.1: install libcuda1, or the card stays unused'
  fi
  cards=$(compgen -G "$devices/dri/renderD*" | head -1) || true
  if [ -z "$cards" ]; then return; fi
  if has_library libvulkan.so.1 && has_vulkan_driver; then
    gpu=${gpu:-"a Vulkan device, $cards"} gpu_kinds="${gpu_kinds:+$gpu_kinds }vulkan"
  elif [ -z "$gpu_kinds" ]; then
    note "$cards is a graphics device without a Vulkan driver: to use it, install libvulkan1 and mesa-vulkan-drivers, then run this again"
  fi
}

has_library() { { ldconfig -p || /sbin/ldconfig -p; } 2>/dev/null | grep -F "$1 " >/dev/null; }

# lvp is llvmpipe, which computes on the CPU.
has_vulkan_driver() {
  local folder
  for folder in "${vulkan_drivers[@]}"; do
    if [ -d "$folder" ] && [ -n "$(find -L "$folder" -name '*.json' ! -name 'lvp_*')" ]; then return; fi
  done
  return 1
}

# Render nodes belong to a group: the service's user joins it.
join_render_group() {
  local card group
  for card in "$devices"/dri/renderD*; do
    group=$(stat -c %G "$card") || continue
    if [[ $group =~ ^(render|video)$ ]]; then usermod --append --groups "$group" "$user"; fi
  done
}
