from .engines import open_source as open_source
from .frame_source import FrameSource as FrameSource
from .source import CountSource as CountSource
from .source import ValueCodes as ValueCodes
