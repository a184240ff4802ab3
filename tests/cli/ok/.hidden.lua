error "a hidden file is no scenario"
